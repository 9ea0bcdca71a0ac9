"""Wrappers: they train a ranker for many subsets.

Made by python/generate.py from the registry; a test keeps it true.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

import numpy as np

from featherank._selector import RankingSelector

__all__ = [
    "AutoSelector",
    "BTFS",
    "Backward",
    "BestFirst",
    "Boruta",
    "GreedyForward",
    "MOFSRank",
    "RFE",
    "RankWrapper",
    "SPEA2",
]


class AutoSelector(RankingSelector):
    """The smallest set that is shown to be as good as all features, within a margin, for a ranker of your choice.

    The method ``auto`` of featherank (wrapper, original).

    Parameters
    ----------
    ranker : str, default='lambdamart'
        What the features are for. Range: any ranker.
    settings : Mapping[str, Any] or str or None, default='auto'
        Parameters of the ranker; auto: up to 300 trees, or what checking finds best. Range: name=value;name=value.
    measure : str, default='ndcg[ties=expected]@10'
        What rankings are judged by. Range: any measure.
    margin : float, default=0.02
        Share of the measure of all features that may be lost. Range: 0 to 0.5.
    level : float, default=0.05
        Chance of recommending a set that loses more. Range: 0.001 to 0.4.
    baseline : str, default='mean'
        What risk is measured against: the mean of single features, the best one, or all features together. Range: mean,
        best-feature, full.
    alpha : float, default=5.0
        How much more a loss against the baseline weighs than a gain. Range: 0 to 1000.
    methods : str, default='auto'
        Who proposes sets; auto: as many as the size of the data and the time limit allow. Range: auto, or elimination
        and selectors with commas between.
    folds : int, default=5
        Parts of the queries that are held out in turn. Range: 3 to 100.
    checkpoint : path, optional
        Keep what is needed to go on in this file; the same fit goes on from it, and removes it.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [wellek2010]
        S. Wellek: Testing statistical hypotheses of equivalence and noninferiority. Second edition, Chapman & Hall
        2010.
    .. [maurer1995]
        W. Maurer, L. A. Hothorn, W. Lehmacher: Multiple comparisons in drug clinical trials and preclinical assays:
        a-priori ordered hypotheses. Biometrie in der chemisch-pharmazeutischen Industrie 6, 1995.
    .. [nadeau2003]
        C. Nadeau, Y. Bengio: Inference for the generalization error. Machine Learning 52, 2003.
    """

    _method = "auto"

    def __init__(
        self,
        *,
        ranker: str = "lambdamart",
        settings: Mapping[str, Any] | str | None = "auto",
        measure: str = "ndcg[ties=expected]@10",
        margin: float = 0.02,
        level: float = 0.05,
        baseline: str = "mean",
        alpha: float = 5.0,
        methods: str = "auto",
        folds: int = 5,
        checkpoint: str | PathLike[str] | None = None,
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
        self.ranker = ranker
        self.settings = settings
        self.measure = measure
        self.margin = margin
        self.level = level
        self.baseline = baseline
        self.alpha = alpha
        self.methods = methods
        self.folds = folds
        self.checkpoint = checkpoint


class GreedyForward(RankingSelector):
    """Features with which a ranker, trained anew for each of them, ranks best.

    The method ``greedy`` of featherank (wrapper, as published).

    Parameters
    ----------
    ranker : str, default='svm-map'
        What is trained on every subset. Range: any ranker.
    settings : Mapping[str, Any] or str or None, default=None
        Parameters of the ranker. Range: name=value;name=value.
    measure : str, default='map[ties=expected]'
        What the ranker is judged by, on training data. Range: any measure.
    delta : float, default=0.005
        Stops before the measure would grow by less. Range: 0 to 1.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [costa2010]
        M. Costa, M. J. Silva: A fast filter feature selection algorithm for ranking. Technical report, University of
        Lisbon 2010.
    """

    _method = "greedy"

    def __init__(
        self,
        *,
        ranker: str = "svm-map",
        settings: Mapping[str, Any] | str | None = None,
        measure: str = "map[ties=expected]",
        delta: float = 0.005,
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
        self.ranker = ranker
        self.settings = settings
        self.measure = measure
        self.delta = delta


class SPEA2(RankingSelector):
    """Subsets that evolve towards effectiveness, low risk, few features or low cost.

    The method ``spea2`` of featherank (wrapper, as published).

    Parameters
    ----------
    objectives : str, default='e-r'
        What subsets are judged by. Range: e, e-f, e-r, t-f, t, or one to three of effectiveness, frisk, trisk, georisk,
        features, cost, joined by +.
    measure : str, default='ndcg[ties=expected]@10'
        What effectiveness is. Range: any measure.
    ranker : str, default='linear-regression'
        What is trained on every subset. Range: any ranker.
    settings : Mapping[str, Any] or str or None, default=None
        Parameters of the ranker. Range: name=value;name=value.
    test : str, default='wilcoxon'
        What proves that a subset is better; means: any difference. Range: wilcoxon, t-test, means.
    level : float, default=0.05
        The level of the test. Range: 1e-9 to 0.5.
    baseline : str, default='full'
        What risk is measured against. Range: full, mean, max, feature:NAME or scores:FILE.
    alpha : float, default=5.0
        How much more a loss weighs than a gain in trisk and georisk. Range: 0 to 1e6.
    folds : int, default=0
        Parts of the queries, each judged by what the others teach; 0: judged where it was trained. Range: 0 to 100.
    choose : str, default='effectiveness'
        Which member of the front is the answer. Range: effectiveness, knee, cheapest.
    population : int, default=75
        Subsets born in a generation. Range: 2 to 1000000.
    archive : int, default=150
        Subsets that survive a generation. Range: 1 to 1000000.
    generations : int, default=30
        Generations after the random one. Range: 0 to 1000000000.
    crossover : float, default=0.8
        Probability that parents are crossed. Range: 0 to 1.
    mutation : float, default=0.2
        Probability that a child is changed. Range: 0 to 1.
    gene : float, default=0.3
        Probability that a bit of such a child flips. Range: 0 to 1.
    tournament : int, default=2
        Subsets that compete to become a parent. Range: 1 to 1000.
    checkpoint : path, optional
        Keep what is needed to go on in this file; the same fit goes on from it, and removes it.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [sousa2016]
        D. X. Sousa, S. D. Canuto, T. C. Rosa, W. S. Martins, M. A. Gonçalves: Incorporating risk-sensitiveness into
        feature selection for learning to rank. CIKM 2016.
    .. [zitzler2001]
        E. Zitzler, M. Laumanns, L. Thiele: SPEA2: improving the strength Pareto evolutionary algorithm. TIK report 103,
        ETH Zürich 2001.
    """

    _method = "spea2"

    def __init__(
        self,
        *,
        objectives: str = "e-r",
        measure: str = "ndcg[ties=expected]@10",
        ranker: str = "linear-regression",
        settings: Mapping[str, Any] | str | None = None,
        test: str = "wilcoxon",
        level: float = 0.05,
        baseline: str = "full",
        alpha: float = 5.0,
        folds: int = 0,
        choose: str = "effectiveness",
        population: int = 75,
        archive: int = 150,
        generations: int = 30,
        crossover: float = 0.8,
        mutation: float = 0.2,
        gene: float = 0.3,
        tournament: int = 2,
        checkpoint: str | PathLike[str] | None = None,
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
        self.objectives = objectives
        self.measure = measure
        self.ranker = ranker
        self.settings = settings
        self.test = test
        self.level = level
        self.baseline = baseline
        self.alpha = alpha
        self.folds = folds
        self.choose = choose
        self.population = population
        self.archive = archive
        self.generations = generations
        self.crossover = crossover
        self.mutation = mutation
        self.gene = gene
        self.tournament = tournament
        self.checkpoint = checkpoint


class Backward(RankingSelector):
    """Removes the feature without which a ranker, trained anew, ranks best.

    The method ``backward`` of featherank (wrapper, as published).

    Parameters
    ----------
    ranker : str, default='rankrls'
        What is trained on every subset. Range: any ranker.
    settings : Mapping[str, Any] or str or None, default=None
        Parameters of the ranker. Range: name=value;name=value.
    measure : str, default='map[ties=expected]'
        What the ranker is judged by. Range: any measure.
    folds : int, default=5
        Parts of the queries that are held out in turn; 0 judges on training data. Range: 0 to 100.
    delta : float, default=0.005
        Stops before the measure would fall by more. Range: 0 to 1.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [marill1963]
        T. Marill, D. M. Green: On the effectiveness of receptors in recognition systems. IEEE Transactions on
        Information Theory 9(1), 1963.
    """

    _method = "backward"

    def __init__(
        self,
        *,
        ranker: str = "rankrls",
        settings: Mapping[str, Any] | str | None = None,
        measure: str = "map[ties=expected]",
        folds: int = 5,
        delta: float = 0.005,
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
        self.ranker = ranker
        self.settings = settings
        self.measure = measure
        self.folds = folds
        self.delta = delta


class RFE(RankingSelector):
    """Recursive feature elimination: what matters least to a ranker leaves, round after round.

    The method ``rfe`` of featherank (wrapper, as published).

    Parameters
    ----------
    ranker : str, default='lambdamart'
        What is trained on every subset. Range: any ranker.
    settings : Mapping[str, Any] or str or None, default='auto'
        Parameters of the ranker; auto: 50 trees where it has trees. Range: name=value;name=value.
    measure : str, default='ndcg[ties=expected]@10'
        What sizes are judged by. Range: any measure.
    step : float, default=0.2
        Features that leave in a round: below 1 a share of those that are left, else so many; at least one. Range: 0.001
        to 100000.
    folds : int, default=5
        Parts of the queries on which sizes are judged. Range: 2 to 100.
    slack : float, default=0.0
        Takes the smallest size whose measure is at most so much below the best. Range: 0 to 1.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [guyon2002]
        I. Guyon, J. Weston, S. Barnhill, V. Vapnik: Gene selection for cancer classification using support vector
        machines. Machine Learning 46, 2002.
    """

    _method = "rfe"

    def __init__(
        self,
        *,
        ranker: str = "lambdamart",
        settings: Mapping[str, Any] | str | None = "auto",
        measure: str = "ndcg[ties=expected]@10",
        step: float = 0.2,
        folds: int = 5,
        slack: float = 0.0,
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
        self.ranker = ranker
        self.settings = settings
        self.measure = measure
        self.step = step
        self.folds = folds
        self.slack = slack


class Boruta(RankingSelector):
    """All features that matter more to a forest than shadows of features, shuffled within queries.

    The method ``boruta`` of featherank (wrapper, as published).

    Parameters
    ----------
    ranker : str, default='random-forest'
        What is trained on every subset. Range: any ranker.
    settings : Mapping[str, Any] or str or None, default='auto'
        Parameters of the ranker; auto: 100 trees, 32 leaves, a third of the features at each split, where it has these.
        Range: name=value;name=value.
    rounds : int, default=100
        Most rounds. Range: 1 to 10000.
    level : float, default=0.01
        Level of the test, before it is corrected for the number of features. Range: 1e-6 to 0.5.
    tentative : str, default='drop'
        Whether features that stay undecided are chosen. Range: keep, drop.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [kursa2010]
        M. B. Kursa, W. R. Rudnicki: Feature selection with the Boruta package. Journal of Statistical Software 36(11),
        2010.
    """

    _method = "boruta"

    def __init__(
        self,
        *,
        ranker: str = "random-forest",
        settings: Mapping[str, Any] | str | None = "auto",
        rounds: int = 100,
        level: float = 0.01,
        tentative: str = "drop",
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
        self.ranker = ranker
        self.settings = settings
        self.rounds = rounds
        self.level = level
        self.tentative = tentative


class RankWrapper(RankingSelector):
    """Features in which documents of different relevance differ that are near to a ranker: Relief for ranking.

    The method ``rank-wrapper`` of featherank (wrapper, reconstruction).

    Parameters
    ----------
    ranker : str, default='ranksvm-primal'
        What is trained on every subset. Range: any ranker.
    settings : Mapping[str, Any] or str or None, default=None
        Parameters of the ranker. Range: name=value;name=value.
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

    _method = "rank-wrapper"

    def __init__(
        self,
        *,
        ranker: str = "ranksvm-primal",
        settings: Mapping[str, Any] | str | None = None,
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
        self.ranker = ranker
        self.settings = settings
        self.neighbours = neighbours
        self.scale = scale
        self.balance = balance
        self.sample = sample


class BTFS(RankingSelector):
    """A population of subsets that loses what has least influence in boosted trees.

    The method ``btfs`` of featherank (wrapper, reconstruction).

    Parameters
    ----------
    ranker : str, default='mart'
        What is trained on every subset. Range: any ranker.
    settings : Mapping[str, Any] or str or None, default='auto'
        Parameters of the ranker; auto: 50 trees where it has trees. Range: name=value;name=value.
    measure : str, default='ndcg[ties=expected]@10'
        What subsets are judged by. Range: any measure.
    rate : float, default=0.25
        Share of the features that leave after a generation, at least one. Range: 0.001 to 0.9.
    population : int, default=4
        Subsets in a generation. Range: 1 to 1000.
    swaps : float, default=0.1
        Share of a subset's features that are swapped for others, at least one unless 0. Range: 0 to 1.
    folds : int, default=3
        Parts of the queries on which subsets are judged. Range: 2 to 100.
    slack : float, default=0.0
        Takes the smallest size whose measure is at most so much below the best. Range: 0 to 1.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [pan2009]
        F. Pan, T. Converse, D. Ahn, F. Salvetti, G. Donato: Feature selection for ranking using boosted trees. CIKM
        2009.
    .. [pan2011]
        F. Pan, T. Converse, D. Ahn, F. Salvetti, G. Donato: Greedy and randomized feature selection for web search
        ranking. CIT 2011.
    .. [friedman2001]
        J. H. Friedman: Greedy function approximation: a gradient boosting machine. Annals of Statistics 29(5), 2001.
    """

    _method = "btfs"

    def __init__(
        self,
        *,
        ranker: str = "mart",
        settings: Mapping[str, Any] | str | None = "auto",
        measure: str = "ndcg[ties=expected]@10",
        rate: float = 0.25,
        population: int = 4,
        swaps: float = 0.1,
        folds: int = 3,
        slack: float = 0.0,
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
        self.ranker = ranker
        self.settings = settings
        self.measure = measure
        self.rate = rate
        self.population = population
        self.swaps = swaps
        self.folds = folds
        self.slack = slack


class BestFirst(RankingSelector):
    """Best-first search for subsets of features that coordinate ascent makes most of.

    The method ``best-first`` of featherank (wrapper, reconstruction).

    Parameters
    ----------
    ranker : str, default='coordinate-ascent'
        What is trained on every subset. Range: any ranker.
    settings : Mapping[str, Any] or str or None, default='auto'
        Parameters of the ranker; auto: climbs `measure` once, with 10 trials in each direction, where it has these.
        Range: name=value;name=value.
    measure : str, default='ndcg[ties=expected]@10'
        What the ranker is judged by, on training data. Range: any measure.
    patience : int, default=5
        Expansions without a better set after which the search ends. Range: 1 to 1000.
    subsets : int, default=1
        Subsets to look for, one after the other; 0: until no feature is left. Range: 0 to 10000.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [dang2010]
        V. Dang, W. B. Croft: Feature selection for document ranking using best first search and coordinate ascent.
        SIGIR 2010 workshop on feature generation and selection for information retrieval.
    .. [metzler2007]
        D. Metzler, W. B. Croft: Linear feature-based models for information retrieval. Information Retrieval 10(3),
        2007.
    """

    _method = "best-first"

    def __init__(
        self,
        *,
        ranker: str = "coordinate-ascent",
        settings: Mapping[str, Any] | str | None = "auto",
        measure: str = "ndcg[ties=expected]@10",
        patience: int = 5,
        subsets: int = 1,
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
        self.ranker = ranker
        self.settings = settings
        self.measure = measure
        self.patience = patience
        self.subsets = subsets


class MOFSRank(RankingSelector):
    """Evolutionary searches for pairs to learn from, for features, and for a sum of rankers.

    The method ``mofsrank`` of featherank (wrapper, reconstruction).

    Parameters
    ----------
    measure : str, default='ndcg[ties=expected]@10'
        The accuracy that is traded against numbers of pairs and features. Range: any measure.
    effort : str, default='paper'
        A fifth of the published generations, as many, or four times as many. Range: quick, paper, long.
    population : float or str, default='auto'
        Individuals in each search; published: 50. Range: auto, or 2 to 10000.
    pair_generations : float or str, default='auto'
        Generations of the search for pairs; published: 200. Range: auto, or 0 to 1e6.
    feature_generations : float or str, default='auto'
        Generations of the search for features; published: 300. Range: auto, or 0 to 1e6.
    ensemble_generations : float or str, default='auto'
        Generations of the search for a sum of rankers; published: 500. Range: auto, or 0 to 1e6.
    crossover : float, default=1.0
        The probability that two parents are crossed. Range: 0 to 1.
    pair_mutation : float, default=0.01
        The probability that a pair comes in or goes out. Range: 0 to 1.
    shares : str, default='spread'
        The share of the pairs that the first search starts with: from .005 to 1, or half. Range: spread, coins.
    pairs : int, default=1000000
        So many preference pairs at most, drawn at random, take part. Range: 1 to 100000000.
    c : float or str, default='auto'
        What the mean loss of a pair is multiplied by; auto takes what is best on validation data with all pairs and
        features. Range: auto, or 1e-9 to 1e9.
    instance_selection : str, default='true'
        Whether pairs are searched for, or all of them are taken. Range: true, false.
    adaptive : str, default='true'
        Whether mutation of features looks at importance and redundancy. Range: true, false.
    ensemble : str, default='true'
        Whether rankers are combined, or the best of them answers. Range: true, false.
    choose : str, default='auto'
        The data on which the answer is chosen among the undominated; auto: validation data where there is some, else
        training data; held-out: a fifth of the queries, which the searches do not see. Range: auto, training,
        validation, held-out.
    slack : float, default=0.0
        How many standard errors of the difference the answer may be below the best on that data, if it has fewer
        features; not on training data. Range: 0 to 10.
    standardise : str, default='auto'
        Divide features by their standard deviation within queries; auto does where some value is outside 0 to 1. Range:
        auto, no, yes.
    checkpoint : path, optional
        Keep what is needed to go on in this file; the same fit goes on from it, and removes it.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [cheng2018]
        F. Cheng, W. Guo, X. Zhang: MOFSRank: a multiobjective evolutionary algorithm for feature selection in learning
        to rank. Complexity 2018.
    .. [deb2002]
        K. Deb, A. Pratap, S. Agarwal, T. Meyarivan: A fast and elitist multiobjective genetic algorithm: NSGA-II. IEEE
        Transactions on Evolutionary Computation 6(2), 2002.
    """

    _method = "mofsrank"

    def __init__(
        self,
        *,
        measure: str = "ndcg[ties=expected]@10",
        effort: str = "paper",
        population: float | str = "auto",
        pair_generations: float | str = "auto",
        feature_generations: float | str = "auto",
        ensemble_generations: float | str = "auto",
        crossover: float = 1.0,
        pair_mutation: float = 0.01,
        shares: str = "spread",
        pairs: int = 1000000,
        c: float | str = "auto",
        instance_selection: str = "true",
        adaptive: str = "true",
        ensemble: str = "true",
        choose: str = "auto",
        slack: float = 0.0,
        standardise: str = "auto",
        checkpoint: str | PathLike[str] | None = None,
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
        self.effort = effort
        self.population = population
        self.pair_generations = pair_generations
        self.feature_generations = feature_generations
        self.ensemble_generations = ensemble_generations
        self.crossover = crossover
        self.pair_mutation = pair_mutation
        self.shares = shares
        self.pairs = pairs
        self.c = c
        self.instance_selection = instance_selection
        self.adaptive = adaptive
        self.ensemble = ensemble
        self.choose = choose
        self.slack = slack
        self.standardise = standardise
        self.checkpoint = checkpoint
