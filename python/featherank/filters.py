"""Filters: they look at features without training a ranker.

Made by python/generate.py from the registry; a test keeps it true.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from featherank._selector import RankingSelector

__all__ = [
    "BestGain",
    "CFS",
    "Consistency",
    "DivFS",
    "FCBF",
    "GAS",
    "HCAS",
    "Hierarchical",
    "Interact",
    "MRMR",
    "NGAS",
    "RankFilter",
    "TopK",
    "XGAS",
]


class TopK(RankingSelector):
    """Features that rank best on their own.

    The method ``top-k`` of featherank (filter, as published).

    Parameters
    ----------
    measure : str, default='ndcg[ties=expected]@10'
        What "ranks well" means. Range: any measure.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [naini2014]
        K. D. Naini, I. S. Altingovde: Exploiting result diversification methods for feature selection in learning to
        rank. ECIR 2014.
    """

    _method = "top-k"

    def __init__(
        self,
        *,
        measure: str = "ndcg[ties=expected]@10",
        k: int | None = None,
        keep: Iterable[int | str] | None = None,
        drop: Iterable[int | str] | None = None,
        costs: Mapping[int | str, float] | Iterable[float] | None = None,
        budget: float | None = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            k=k,
            keep=keep,
            drop=drop,
            costs=costs,
            budget=budget,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.measure = measure


class BestGain(RankingSelector):
    """Features whose merged rankings could gain most.

    The method ``best-gain`` of featherank (filter, as published).

    Parameters
    ----------
    measure : str, default='map[ties=expected]'
        What "ranks well" means. Range: any measure.
    delta : float, default=0.01
        Least gain that a feature must bring. Range: 0 to 1.
    relevant : float, default=1.0
        Labels from here on are relevant. Range: 1e-6 to 1e6.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [costa2010]
        M. Costa, M. J. Silva: A fast filter feature selection algorithm for ranking. Technical report, University of
        Lisbon 2010.
    """

    _method = "best-gain"

    def __init__(
        self,
        *,
        measure: str = "map[ties=expected]",
        delta: float = 0.01,
        relevant: float = 1.0,
        k: int | None = None,
        keep: Iterable[int | str] | None = None,
        drop: Iterable[int | str] | None = None,
        costs: Mapping[int | str, float] | Iterable[float] | None = None,
        budget: float | None = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            k=k,
            keep=keep,
            drop=drop,
            costs=costs,
            budget=budget,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.measure = measure
        self.delta = delta
        self.relevant = relevant


class GAS(RankingSelector):
    """Features that rank well alone and unlike each other.

    The method ``gas`` of featherank (filter, as published).

    Parameters
    ----------
    c : float, default=0.02
        How much likeness to a chosen feature costs. Range: 0 to 1000.
    threshold : float, default=0.0
        Without k: stop when no feature is worth this much. Range: -1000 to 1000.
    measure : str, default='map[ties=expected]'
        What "ranks well" means. Range: any measure.
    similarity : str, default='kendall'
        Correlation that makes two features alike. Range: kendall, spearman, pearson, top-10.
    scope : str, default='query'
        Correlate within queries, or over all documents as one list. Range: query, pooled.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [geng2007]
        X. Geng, T.-Y. Liu, T. Qin, H. Li: Feature selection for ranking. SIGIR 2007.
    .. [costa2010]
        M. Costa, M. J. Silva: A fast filter feature selection algorithm for ranking. Technical report, University of
        Lisbon 2010.
    """

    _method = "gas"

    def __init__(
        self,
        *,
        c: float = 0.02,
        threshold: float = 0.0,
        measure: str = "map[ties=expected]",
        similarity: str = "kendall",
        scope: str = "query",
        k: int | None = None,
        keep: Iterable[int | str] | None = None,
        drop: Iterable[int | str] | None = None,
        costs: Mapping[int | str, float] | Iterable[float] | None = None,
        budget: float | None = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            k=k,
            keep=keep,
            drop=drop,
            costs=costs,
            budget=budget,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.c = c
        self.threshold = threshold
        self.measure = measure
        self.similarity = similarity
        self.scope = scope


class DivFS(RankingSelector):
    """Features diversified like search results.

    The method ``divfs`` of featherank (filter, reconstruction).

    Parameters
    ----------
    rule : str, default='mmr'
        How worth and diversity are combined. Range: mmr, mpt, msd.
    lambda_ : float, default=0.1
        Share of diversity in mmr and msd. Range: 0 to 1.
    b : float, default=0.5
        How much mpt shuns risk. Range: 0 to 1000.
    measure : str, default='ndcg[ties=expected]@10'
        What "ranks well" means. Range: any measure.
    similarity : str, default='kendall'
        Correlation that makes two features alike. Range: kendall, spearman, pearson, top-10.
    scope : str, default='query'
        Correlate within queries, or over all documents as one list. Range: query, pooled.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [naini2014]
        K. D. Naini, I. S. Altingovde: Exploiting result diversification methods for feature selection in learning to
        rank. ECIR 2014.
    .. [sousa2016]
        D. X. Sousa, S. D. Canuto, T. C. Rosa, W. S. Martins, M. A. Gonçalves: Incorporating risk-sensitiveness into
        feature selection for learning to rank. CIKM 2016.
    """

    _method = "divfs"

    def __init__(
        self,
        *,
        rule: str = "mmr",
        lambda_: float = 0.1,
        b: float = 0.5,
        measure: str = "ndcg[ties=expected]@10",
        similarity: str = "kendall",
        scope: str = "query",
        k: int | None = None,
        keep: Iterable[int | str] | None = None,
        drop: Iterable[int | str] | None = None,
        costs: Mapping[int | str, float] | Iterable[float] | None = None,
        budget: float | None = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            k=k,
            keep=keep,
            drop=drop,
            costs=costs,
            budget=budget,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.rule = rule
        self.lambda_ = lambda_
        self.b = b
        self.measure = measure
        self.similarity = similarity
        self.scope = scope


class MRMR(RankingSelector):
    """Features of most relevance and least redundancy.

    The method ``mrmr`` of featherank (filter, reconstruction).

    Parameters
    ----------
    form : str, default='difference'
        How relevance and redundancy are combined. Range: difference, quotient.
    scaling : str, default='range'
        Relevance from 0 to 1, or as it is. Range: range, none.
    measure : str, default='ndcg[ties=expected]@10'
        What "ranks well" means. Range: any measure.
    similarity : str, default='kendall'
        Correlation that makes two features alike. Range: kendall, spearman, pearson, top-10.
    scope : str, default='query'
        Correlate within queries, or over all documents as one list. Range: query, pooled.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [peng2005]
        H. Peng, F. Long, C. Ding: Feature selection based on mutual information: criteria of max-dependency,
        max-relevance, and min-redundancy. IEEE TPAMI 27(8), 2005.
    .. [shirzad2015]
        M. B. Shirzad, M. R. Keyvanpour: A feature selection method based on minimum redundancy maximum relevance for
        learning to rank. AI & Robotics (IRANOPEN) 2015.
    """

    _method = "mrmr"

    def __init__(
        self,
        *,
        form: str = "difference",
        scaling: str = "range",
        measure: str = "ndcg[ties=expected]@10",
        similarity: str = "kendall",
        scope: str = "query",
        k: int | None = None,
        keep: Iterable[int | str] | None = None,
        drop: Iterable[int | str] | None = None,
        costs: Mapping[int | str, float] | Iterable[float] | None = None,
        budget: float | None = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            k=k,
            keep=keep,
            drop=drop,
            costs=costs,
            budget=budget,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.form = form
        self.scaling = scaling
        self.measure = measure
        self.similarity = similarity
        self.scope = scope


class FCBF(RankingSelector):
    """Features that tell much about the label, without those that a better one stands for.

    The method ``fcbf`` of featherank (filter, as published).

    Parameters
    ----------
    threshold : float, default=0.0
        Symmetrical uncertainty with the label that a feature must exceed. Range: 0 to 1.
    encoding : str, default='better'
        Whether the price of a cut counts borders between distinct values, or documents. Range: better, plain.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [yu2003]
        L. Yu, H. Liu: Feature selection for high-dimensional data: a fast correlation-based filter solution. ICML 2003.
    .. [fayyad1993]
        U. M. Fayyad, K. B. Irani: Multi-interval discretization of continuous-valued attributes for classification
        learning. IJCAI 1993.
    .. [costa2010]
        M. Costa, M. J. Silva: A fast filter feature selection algorithm for ranking. Technical report, University of
        Lisbon 2010.
    """

    _method = "fcbf"

    def __init__(
        self,
        *,
        threshold: float = 0.0,
        encoding: str = "better",
        k: int | None = None,
        keep: Iterable[int | str] | None = None,
        drop: Iterable[int | str] | None = None,
        costs: Mapping[int | str, float] | Iterable[float] | None = None,
        budget: float | None = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            k=k,
            keep=keep,
            drop=drop,
            costs=costs,
            budget=budget,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.threshold = threshold
        self.encoding = encoding


class CFS(RankingSelector):
    """A set whose features tell much about the label and little about each other.

    The method ``cfs`` of featherank (filter, as published).

    Parameters
    ----------
    patience : int, default=5
        Expansions without a better set after which the search ends. Range: 1 to 1000.
    locally_predictive : str, default='on'
        Whether features join at the end that tell more about the label than the set tells about them. Range: on, off.
    unrelated : str, default='redundant'
        What two features count as that tell nothing about each other; WEKA calls them redundant. Range: redundant,
        free.
    encoding : str, default='better'
        Whether the price of a cut counts borders between distinct values, or documents. Range: better, plain.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [hall2000]
        M. A. Hall: Correlation-based feature selection for discrete and numeric class machine learning. ICML 2000.
    .. [fayyad1993]
        U. M. Fayyad, K. B. Irani: Multi-interval discretization of continuous-valued attributes for classification
        learning. IJCAI 1993.
    .. [costa2010]
        M. Costa, M. J. Silva: A fast filter feature selection algorithm for ranking. Technical report, University of
        Lisbon 2010.
    """

    _method = "cfs"

    def __init__(
        self,
        *,
        patience: int = 5,
        locally_predictive: str = "on",
        unrelated: str = "redundant",
        encoding: str = "better",
        k: int | None = None,
        keep: Iterable[int | str] | None = None,
        drop: Iterable[int | str] | None = None,
        costs: Mapping[int | str, float] | Iterable[float] | None = None,
        budget: float | None = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            k=k,
            keep=keep,
            drop=drop,
            costs=costs,
            budget=budget,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.patience = patience
        self.locally_predictive = locally_predictive
        self.unrelated = unrelated
        self.encoding = encoding


class Consistency(RankingSelector):
    """A small set under which documents that look alike have the same label.

    The method ``consistency`` of featherank (filter, as published).

    Parameters
    ----------
    search : str, default='best-first'
        From no feature towards more, or from all towards fewer. Range: best-first, backward.
    patience : int, default=5
        Expansions without a better set after which the search ends. Range: 1 to 1000.
    encoding : str, default='better'
        Whether the price of a cut counts borders between distinct values, or documents. Range: better, plain.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [dash2000]
        M. Dash, H. Liu, H. Motoda: Consistency based feature selection. PAKDD 2000.
    .. [fayyad1993]
        U. M. Fayyad, K. B. Irani: Multi-interval discretization of continuous-valued attributes for classification
        learning. IJCAI 1993.
    .. [costa2010]
        M. Costa, M. J. Silva: A fast filter feature selection algorithm for ranking. Technical report, University of
        Lisbon 2010.
    """

    _method = "consistency"

    def __init__(
        self,
        *,
        search: str = "best-first",
        patience: int = 5,
        encoding: str = "better",
        k: int | None = None,
        keep: Iterable[int | str] | None = None,
        drop: Iterable[int | str] | None = None,
        costs: Mapping[int | str, float] | Iterable[float] | None = None,
        budget: float | None = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            k=k,
            keep=keep,
            drop=drop,
            costs=costs,
            budget=budget,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.search = search
        self.patience = patience
        self.encoding = encoding


class Interact(RankingSelector):
    """What is left when features go whose absence makes documents no less consistent.

    The method ``interact`` of featherank (filter, as published).

    Parameters
    ----------
    threshold : float, default=0.0001
        Contribution to consistency below which a feature leaves; 0 keeps every feature. Range: 0 to 1.
    encoding : str, default='better'
        Whether the price of a cut counts borders between distinct values, or documents. Range: better, plain.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [zhao2007]
        Z. Zhao, H. Liu: Searching for interacting features. IJCAI 2007.
    .. [fayyad1993]
        U. M. Fayyad, K. B. Irani: Multi-interval discretization of continuous-valued attributes for classification
        learning. IJCAI 1993.
    .. [costa2010]
        M. Costa, M. J. Silva: A fast filter feature selection algorithm for ranking. Technical report, University of
        Lisbon 2010.
    """

    _method = "interact"

    def __init__(
        self,
        *,
        threshold: float = 0.0001,
        encoding: str = "better",
        k: int | None = None,
        keep: Iterable[int | str] | None = None,
        drop: Iterable[int | str] | None = None,
        costs: Mapping[int | str, float] | Iterable[float] | None = None,
        budget: float | None = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            k=k,
            keep=keep,
            drop=drop,
            costs=costs,
            budget=budget,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.threshold = threshold
        self.encoding = encoding


class NGAS(RankingSelector):
    """A walk from each feature to the one least like it, or that one's more relevant neighbour.

    The method ``ngas`` of featherank (filter, as published).

    Parameters
    ----------
    measure : str, default='ndcg[ties=expected]@10'
        What "ranks well" means. Range: any measure.
    relevance : str, default='alone'
        Measure the ranking by the feature itself, or by LambdaMART trained on it alone. Range: alone, lambdamart.
    similarity : str, default='spearman'
        Correlation that makes two features alike. Range: kendall, spearman, pearson, top-10.
    scope : str, default='query'
        Correlate within queries, or over all documents as one list. Range: query, pooled.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [gigli2016]
        A. Gigli, C. Lucchese, F. M. Nardini, R. Perego: Fast feature selection for learning to rank. ICTIR 2016.
    """

    _method = "ngas"

    def __init__(
        self,
        *,
        measure: str = "ndcg[ties=expected]@10",
        relevance: str = "alone",
        similarity: str = "spearman",
        scope: str = "query",
        k: int | None = None,
        keep: Iterable[int | str] | None = None,
        drop: Iterable[int | str] | None = None,
        costs: Mapping[int | str, float] | Iterable[float] | None = None,
        budget: float | None = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            k=k,
            keep=keep,
            drop=drop,
            costs=costs,
            budget=budget,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.measure = measure
        self.relevance = relevance
        self.similarity = similarity
        self.scope = scope


class XGAS(RankingSelector):
    """A walk from each feature to the most relevant of those least like it.

    The method ``xgas`` of featherank (filter, as published).

    Parameters
    ----------
    p : float, default=0.05
        Share of the remaining features that stands for election. Range: 0 to 1.
    measure : str, default='ndcg[ties=expected]@10'
        What "ranks well" means. Range: any measure.
    relevance : str, default='alone'
        Measure the ranking by the feature itself, or by LambdaMART trained on it alone. Range: alone, lambdamart.
    similarity : str, default='spearman'
        Correlation that makes two features alike. Range: kendall, spearman, pearson, top-10.
    scope : str, default='query'
        Correlate within queries, or over all documents as one list. Range: query, pooled.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [gigli2016]
        A. Gigli, C. Lucchese, F. M. Nardini, R. Perego: Fast feature selection for learning to rank. ICTIR 2016.
    """

    _method = "xgas"

    def __init__(
        self,
        *,
        p: float = 0.05,
        measure: str = "ndcg[ties=expected]@10",
        relevance: str = "alone",
        similarity: str = "spearman",
        scope: str = "query",
        k: int | None = None,
        keep: Iterable[int | str] | None = None,
        drop: Iterable[int | str] | None = None,
        costs: Mapping[int | str, float] | Iterable[float] | None = None,
        budget: float | None = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            k=k,
            keep=keep,
            drop=drop,
            costs=costs,
            budget=budget,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.p = p
        self.measure = measure
        self.relevance = relevance
        self.similarity = similarity
        self.scope = scope


class HCAS(RankingSelector):
    """The most relevant feature of each cluster of a hierarchy.

    The method ``hcas`` of featherank (filter, as published).

    Parameters
    ----------
    linkage : str, default='ward'
        How far apart two clusters are. Range: ward, single, average, complete.
    measure : str, default='ndcg[ties=expected]@10'
        What "ranks well" means. Range: any measure.
    relevance : str, default='alone'
        Measure the ranking by the feature itself, or by LambdaMART trained on it alone. Range: alone, lambdamart.
    similarity : str, default='spearman'
        Correlation that makes two features alike. Range: kendall, spearman, pearson, top-10.
    scope : str, default='query'
        Correlate within queries, or over all documents as one list. Range: query, pooled.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [gigli2016]
        A. Gigli, C. Lucchese, F. M. Nardini, R. Perego: Fast feature selection for learning to rank. ICTIR 2016.
    """

    _method = "hcas"

    def __init__(
        self,
        *,
        linkage: str = "ward",
        measure: str = "ndcg[ties=expected]@10",
        relevance: str = "alone",
        similarity: str = "spearman",
        scope: str = "query",
        k: int | None = None,
        keep: Iterable[int | str] | None = None,
        drop: Iterable[int | str] | None = None,
        costs: Mapping[int | str, float] | Iterable[float] | None = None,
        budget: float | None = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            k=k,
            keep=keep,
            drop=drop,
            costs=costs,
            budget=budget,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.linkage = linkage
        self.measure = measure
        self.relevance = relevance
        self.similarity = similarity
        self.scope = scope


class Hierarchical(RankingSelector):
    """The best feature of each cluster that k-means finds among correlations.

    The method ``hierarchical`` of featherank (filter, reconstruction).

    Parameters
    ----------
    clusters : int, default=0
        How many, unless k says so; 0 means as many as lie best apart. Range: 0 to 100000.
    delegate : str, default='measure'
        Take the feature that ranks best alone, or that weighs most in RankSVM. Range: measure, ranker.
    measure : str, default='ndcg[ties=expected]@10'
        What "ranks well" means. Range: any measure.
    similarity : str, default='kendall'
        Correlation that makes two features alike. Range: kendall, spearman, pearson, top-10.
    scope : str, default='query'
        Correlate within queries, or over all documents as one list. Range: query, pooled.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [hua2010]
        G. Hua, M. Zhang, Y. Liu, S. Ma, L. Ru: Hierarchical feature selection for ranking. WWW 2010.
    .. [arthur2007]
        D. Arthur, S. Vassilvitskii: k-means++: the advantages of careful seeding. SODA 2007.
    """

    _method = "hierarchical"

    def __init__(
        self,
        *,
        clusters: int = 0,
        delegate: str = "measure",
        measure: str = "ndcg[ties=expected]@10",
        similarity: str = "kendall",
        scope: str = "query",
        k: int | None = None,
        keep: Iterable[int | str] | None = None,
        drop: Iterable[int | str] | None = None,
        costs: Mapping[int | str, float] | Iterable[float] | None = None,
        budget: float | None = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            k=k,
            keep=keep,
            drop=drop,
            costs=costs,
            budget=budget,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.clusters = clusters
        self.delegate = delegate
        self.measure = measure
        self.similarity = similarity
        self.scope = scope


class RankFilter(RankingSelector):
    """Features in which near documents of different relevance differ: Relief for ranking.

    The method ``rank-filter`` of featherank (filter, reconstruction).

    Parameters
    ----------
    neighbours : int, default=10
        Nearest documents that each document is compared with. Range: 1 to 100000.
    scale : str, default='overall'
        Scale features to [0, 1] over all documents, or within each query. Range: overall, query.
    balance : str, default='yes'
        Let pairs of different and of equal relevance count alike in sum. Range: yes, no.
    sample : float, default=1.0
        Share of the queries to look at. Range: 1e-6 to 1.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [yu2009]
        H. Yu, J. Oh, W.-S. Han: Efficient feature weighting methods for ranking. CIKM 2009.
    .. [robnik1997]
        M. Robnik-Šikonja, I. Kononenko: An adaptation of Relief for attribute estimation in regression. ICML 1997.
    """

    _method = "rank-filter"

    def __init__(
        self,
        *,
        neighbours: int = 10,
        scale: str = "overall",
        balance: str = "yes",
        sample: float = 1.0,
        k: int | None = None,
        keep: Iterable[int | str] | None = None,
        drop: Iterable[int | str] | None = None,
        costs: Mapping[int | str, float] | Iterable[float] | None = None,
        budget: float | None = None,
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            k=k,
            keep=keep,
            drop=drop,
            costs=costs,
            budget=budget,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.neighbours = neighbours
        self.scale = scale
        self.balance = balance
        self.sample = sample
