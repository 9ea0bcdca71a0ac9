"""Embedded methods: they select while they train.

Made by python/generate.py from the registry; a test keeps it true.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from featherank._selector import RankingSelector

__all__ = [
    "EGRank",
    "FSMRank",
    "FenchelRank",
    "GreedyRankRLS",
    "L1SVM",
    "NonconvexSVM",
    "RSRank",
    "RankL2AROM",
    "RankRWFSL0",
    "RankRWFSL1",
]


class L1SVM(RankingSelector):
    """Features that a pairwise support vector machine under a lasso penalty uses.

    The method ``l1-svm`` of featherank (embedded, as published).

    Parameters
    ----------
    c : float or Sequence[float] or str, default='auto'
        Weight of the sum over pairs against the penalty; chosen on validation data unless set. Range: auto, or 1e-12 to
        1e12; several with commas between.
    measure : str, default='map[ties=expected]'
        What chooses the model on validation data. Range: any measure.
    slack : float, default=0.0
        Takes the sparsest model that is at most so much worse than the best on validation data. Range: 0 to 1.
    standardise : str, default='auto'
        Divide features by their standard deviation within queries; auto does where some value is outside 0 to 1. Range:
        auto, no, yes.
    tolerance : float, default=1e-08
        The largest violation of the conditions of optimality. Range: 1e-12 to 0.1.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [fan2008]
        R.-E. Fan, K.-W. Chang, C.-J. Hsieh, X.-R. Wang, C.-J. Lin: LIBLINEAR: a library for large linear
        classification. JMLR 9, 2008.
    .. [laporte2015]
        L. Laporte, S. Déjean, J. Mothe: Sélection de variables en apprentissage d'ordonnancement : évaluation des SVM
        pondérés. Document numérique 18(1), 2015.
    """

    _method = "l1-svm"

    def __init__(
        self,
        *,
        c: float | Sequence[float] | str = "auto",
        measure: str = "map[ties=expected]",
        slack: float = 0.0,
        standardise: str = "auto",
        tolerance: float = 1e-08,
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
        self.measure = measure
        self.slack = slack
        self.standardise = standardise
        self.tolerance = tolerance


class RankRWFSL1(RankingSelector):
    """Features that stay when RankSVM is reweighted by the roots of its own weights.

    The method ``rankrwfs-l1`` of featherank (embedded, as published).

    Parameters
    ----------
    share : float, default=0.1
        Share of the live features to be left; k says how many instead. Range: 0 to 1.
    threshold : float, default=1e-05
        Features with smaller weights are removed. Range: 1e-12 to 1.
    precision : float, default=0.0001
        A round's training stops when a step promises less than this share of its objective; 0 is exact. Range: 0 to
        0.1.
    c : float or Sequence[float] or str, default='auto'
        Weight of the sum over pairs against the squared weights; chosen on validation data unless set. Range: auto, or
        1e-12 to 1e12; several with commas between.
    measure : str, default='map[ties=expected]'
        What chooses the model on validation data. Range: any measure.
    slack : float, default=0.0
        Takes the sparsest model that is at most so much worse than the best on validation data. Range: 0 to 1.
    standardise : str, default='auto'
        Divide features by their standard deviation within queries; auto does where some value is outside 0 to 1. Range:
        auto, no, yes.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [laporte2015]
        L. Laporte, S. Déjean, J. Mothe: Sélection de variables en apprentissage d'ordonnancement : évaluation des SVM
        pondérés. Document numérique 18(1), 2015.
    """

    _method = "rankrwfs-l1"

    def __init__(
        self,
        *,
        share: float = 0.1,
        threshold: float = 1e-05,
        precision: float = 0.0001,
        c: float | Sequence[float] | str = "auto",
        measure: str = "map[ties=expected]",
        slack: float = 0.0,
        standardise: str = "auto",
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
        self.share = share
        self.threshold = threshold
        self.precision = precision
        self.c = c
        self.measure = measure
        self.slack = slack
        self.standardise = standardise


class RankRWFSL0(RankingSelector):
    """Features that stay when RankSVM is reweighted by its own weights.

    The method ``rankrwfs-l0`` of featherank (embedded, as published).

    Parameters
    ----------
    share : float, default=0.1
        Share of the live features to be left; k says how many instead. Range: 0 to 1.
    threshold : float, default=1e-05
        Features with smaller weights are removed. Range: 1e-12 to 1.
    precision : float, default=0.0001
        A round's training stops when a step promises less than this share of its objective; 0 is exact. Range: 0 to
        0.1.
    c : float or Sequence[float] or str, default='auto'
        Weight of the sum over pairs against the squared weights; chosen on validation data unless set. Range: auto, or
        1e-12 to 1e12; several with commas between.
    measure : str, default='map[ties=expected]'
        What chooses the model on validation data. Range: any measure.
    slack : float, default=0.0
        Takes the sparsest model that is at most so much worse than the best on validation data. Range: 0 to 1.
    standardise : str, default='auto'
        Divide features by their standard deviation within queries; auto does where some value is outside 0 to 1. Range:
        auto, no, yes.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [laporte2015]
        L. Laporte, S. Déjean, J. Mothe: Sélection de variables en apprentissage d'ordonnancement : évaluation des SVM
        pondérés. Document numérique 18(1), 2015.
    """

    _method = "rankrwfs-l0"

    def __init__(
        self,
        *,
        share: float = 0.1,
        threshold: float = 1e-05,
        precision: float = 0.0001,
        c: float | Sequence[float] | str = "auto",
        measure: str = "map[ties=expected]",
        slack: float = 0.0,
        standardise: str = "auto",
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
        self.share = share
        self.threshold = threshold
        self.precision = precision
        self.c = c
        self.measure = measure
        self.slack = slack
        self.standardise = standardise


class RankL2AROM(RankingSelector):
    """Features that stay when RankSVM is rescaled by its own weights: the same as rankrwfs-l0.

    The method ``rank-l2-arom`` of featherank (embedded, as published).

    Parameters
    ----------
    share : float, default=0.1
        Share of the live features to be left; k says how many instead. Range: 0 to 1.
    threshold : float, default=1e-05
        Features with smaller weights are removed. Range: 1e-12 to 1.
    precision : float, default=0.0001
        A round's training stops when a step promises less than this share of its objective; 0 is exact. Range: 0 to
        0.1.
    c : float or Sequence[float] or str, default='auto'
        Weight of the sum over pairs against the squared weights; chosen on validation data unless set. Range: auto, or
        1e-12 to 1e12; several with commas between.
    measure : str, default='map[ties=expected]'
        What chooses the model on validation data. Range: any measure.
    slack : float, default=0.0
        Takes the sparsest model that is at most so much worse than the best on validation data. Range: 0 to 1.
    standardise : str, default='auto'
        Divide features by their standard deviation within queries; auto does where some value is outside 0 to 1. Range:
        auto, no, yes.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [laporte2015]
        L. Laporte, S. Déjean, J. Mothe: Sélection de variables en apprentissage d'ordonnancement : évaluation des SVM
        pondérés. Document numérique 18(1), 2015.
    """

    _method = "rank-l2-arom"

    def __init__(
        self,
        *,
        share: float = 0.1,
        threshold: float = 1e-05,
        precision: float = 0.0001,
        c: float | Sequence[float] | str = "auto",
        measure: str = "map[ties=expected]",
        slack: float = 0.0,
        standardise: str = "auto",
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
        self.share = share
        self.threshold = threshold
        self.precision = precision
        self.c = c
        self.measure = measure
        self.slack = slack
        self.standardise = standardise


class FenchelRank(RankingSelector):
    """Features that a pairwise model within an l1 ball takes in, one a step.

    The method ``fenchel-rank`` of featherank (embedded, as published).

    Parameters
    ----------
    r : float or Sequence[float] or str, default='auto'
        The most that the sizes of the weights may sum to; chosen on validation data unless set. Range: auto, or 1e-9 to
        1e9; several with commas between.
    epsilon : float, default=0.01
        Stops at a Fenchel gap of this. Range: 1e-12 to 1.
    steps : int, default=1000
        Stops after so many steps. Range: 1 to 10000000.
    start : str, default='zero'
        Where the walk within a ball starts: from nothing, or from the next smaller ball's model. Range: zero,
        neighbour.
    measure : str, default='map[ties=expected]'
        What chooses the model on validation data. Range: any measure.
    slack : float, default=0.0
        Takes the sparsest model that is at most so much worse than the best on validation data. Range: 0 to 1.
    standardise : str, default='auto'
        Divide features by their standard deviation within queries; auto does where some value is outside 0 to 1. Range:
        auto, no, yes.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [lai2013fenchel]
        H. Lai, Y. Pan, C. Liu, L. Lin, J. Wu: Sparse learning-to-rank via an efficient primal-dual algorithm. IEEE
        Transactions on Computers 2013.
    .. [laporte2015]
        L. Laporte, S. Déjean, J. Mothe: Sélection de variables en apprentissage d'ordonnancement : évaluation des SVM
        pondérés. Document numérique 18(1), 2015.
    """

    _method = "fenchel-rank"

    def __init__(
        self,
        *,
        r: float | Sequence[float] | str = "auto",
        epsilon: float = 0.01,
        steps: int = 1000,
        start: str = "zero",
        measure: str = "map[ties=expected]",
        slack: float = 0.0,
        standardise: str = "auto",
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
        self.r = r
        self.epsilon = epsilon
        self.steps = steps
        self.start = start
        self.measure = measure
        self.slack = slack
        self.standardise = standardise


class FSMRank(RankingSelector):
    """Features of a pairwise model that pays for what ranks badly alone and for what is alike.

    The method ``fsmrank`` of featherank (embedded, reconstruction).

    Parameters
    ----------
    lambda1 : float or Sequence[float] or str, default='auto'
        Price of likeness; chosen on validation data unless set. Range: auto, or 0 to 1e9; several with commas between.
    lambda2 : float or Sequence[float] or str, default='auto'
        Price of features; chosen on validation data unless set. Range: auto, or 1e-12 to 1e9; several with commas
        between.
    importance : str, default='ndcg[ties=expected]@10'
        What a feature is worth alone. Range: any measure.
    similarity : str, default='pearson'
        Correlation that makes two features alike. Range: kendall, spearman, pearson, top-10.
    scope : str, default='query'
        Correlate within queries, or over all documents as one list. Range: query, pooled.
    measure : str, default='map[ties=expected]'
        What chooses the model on validation data. Range: any measure.
    slack : float, default=0.0
        Takes the sparsest model that is at most so much worse than the best on validation data. Range: 0 to 1.
    standardise : str, default='auto'
        Divide features by their standard deviation within queries; auto does where some value is outside 0 to 1. Range:
        auto, no, yes.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [lai2013fsm]
        H. Lai, Y. Pan, Y. Tang, R. Yu: FSMRank: feature selection algorithm for learning to rank. IEEE Transactions on
        Neural Networks and Learning Systems 24(6), 2013.
    .. [laporte2015]
        L. Laporte, S. Déjean, J. Mothe: Sélection de variables en apprentissage d'ordonnancement : évaluation des SVM
        pondérés. Document numérique 18(1), 2015.
    """

    _method = "fsmrank"

    def __init__(
        self,
        *,
        lambda1: float | Sequence[float] | str = "auto",
        lambda2: float | Sequence[float] | str = "auto",
        importance: str = "ndcg[ties=expected]@10",
        similarity: str = "pearson",
        scope: str = "query",
        measure: str = "map[ties=expected]",
        slack: float = 0.0,
        standardise: str = "auto",
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
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.importance = importance
        self.similarity = similarity
        self.scope = scope
        self.measure = measure
        self.slack = slack
        self.standardise = standardise


class NonconvexSVM(RankingSelector):
    """Features that a pairwise support vector machine uses under a penalty that spares large weights.

    The method ``nonconvex-svm`` of featherank (embedded, as published).

    Parameters
    ----------
    penalty : str, default='l0.5'
        The penalty. Range: l0.5, log, mcp.
    lambda_ : float or Sequence[float] or str, default='auto'
        Weight of the penalty against the mean loss; chosen on validation data unless set. Range: auto, or 1e-12 to 1e9;
        several with commas between.
    p : float, default=0.5
        Exponent of the penalty l0.5. Range: 0 to 1.
    epsilon : float, default=0.01
        Keeps the slopes of l0.5 and log finite. Range: 1e-12 to 1e9.
    gamma : float, default=3.0
        How far mcp reaches, in units of lambda. Range: 1e-9 to 1e12.
    rounds : int, default=20
        Weighted lassos after the first, at most. Range: 1 to 10000.
    measure : str, default='map[ties=expected]'
        What chooses the model on validation data. Range: any measure.
    slack : float, default=0.0
        Takes the sparsest model that is at most so much worse than the best on validation data. Range: 0 to 1.
    standardise : str, default='auto'
        Divide features by their standard deviation within queries; auto does where some value is outside 0 to 1. Range:
        auto, no, yes.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [laporte2014]
        L. Laporte, R. Flamary, S. Canu, S. Déjean, J. Mothe: Nonconvex regularizations for feature selection in ranking
        with sparse SVM. IEEE Transactions on Neural Networks and Learning Systems 25(6), 2014.
    """

    _method = "nonconvex-svm"

    def __init__(
        self,
        *,
        penalty: str = "l0.5",
        lambda_: float | Sequence[float] | str = "auto",
        p: float = 0.5,
        epsilon: float = 0.01,
        gamma: float = 3.0,
        rounds: int = 20,
        measure: str = "map[ties=expected]",
        slack: float = 0.0,
        standardise: str = "auto",
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
        self.penalty = penalty
        self.lambda_ = lambda_
        self.p = p
        self.epsilon = epsilon
        self.gamma = gamma
        self.rounds = rounds
        self.measure = measure
        self.slack = slack
        self.standardise = standardise


class GreedyRankRLS(RankingSelector):
    """Adds the feature with which regularised least squares errs least on queries left out.

    The method ``greedy-rankrls`` of featherank (embedded, as published).

    Parameters
    ----------
    lambda_ : float or Sequence[float] or str, default='auto'
        Weight of the squared weights against the sum of squared errors; chosen on validation data unless set. Range:
        auto, or 1e-12 to 1e12; several with commas between.
    gain : float, default=0.001
        Without k, the least share of the error that a feature must take away. Range: 0 to 1.
    weighting : str, default='pairs'
        Whether a query counts by its pairs or by its documents. Range: pairs, queries.
    measure : str, default='map[ties=expected]'
        What chooses the model on validation data. Range: any measure.
    slack : float, default=0.0
        Takes the sparsest model that is at most so much worse than the best on validation data. Range: 0 to 1.
    standardise : str, default='auto'
        Divide features by their standard deviation within queries; auto does where some value is outside 0 to 1. Range:
        auto, no, yes.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [pahikkala2010]
        T. Pahikkala, A. Airola, P. Naula, T. Salakoski: Greedy RankRLS: a linear time algorithm for learning sparse
        ranking models. SIGIR 2010 workshop on feature generation and selection for information retrieval.
    """

    _method = "greedy-rankrls"

    def __init__(
        self,
        *,
        lambda_: float | Sequence[float] | str = "auto",
        gain: float = 0.001,
        weighting: str = "pairs",
        measure: str = "map[ties=expected]",
        slack: float = 0.0,
        standardise: str = "auto",
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
        self.lambda_ = lambda_
        self.gain = gain
        self.weighting = weighting
        self.measure = measure
        self.slack = slack
        self.standardise = standardise


class EGRank(RankingSelector):
    """Features that exponentiated gradient descent on preference pairs gives a share of bounded weight.

    The method ``eg-rank`` of featherank (embedded, as published).

    Parameters
    ----------
    r : float or Sequence[float] or str, default='auto'
        The most that the sizes of the weights may sum to; chosen on validation data unless set. Range: auto, or 1e-9 to
        1e9; several with commas between.
    eta : float or str, default='auto'
        Length of all steps; unless set, steps are accelerated and their length is found. Range: auto, or 1e-9 to 1e6.
    epsilon : float, default=0.01
        How far the loss may be above its minimum. Range: 1e-10 to 1.
    steps : int, default=1000
        The most steps for one value of r. Range: 1 to 1000000.
    threshold : float, default=0.01
        Share of the sum of absolute weights below which a weight is cut off. Range: 0 to 1.
    measure : str, default='map[ties=expected]'
        What chooses the model on validation data. Range: any measure.
    slack : float, default=0.0
        Takes the sparsest model that is at most so much worse than the best on validation data. Range: 0 to 1.
    standardise : str, default='auto'
        Divide features by their standard deviation within queries; auto does where some value is outside 0 to 1. Range:
        auto, no, yes.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [du2018]
        L. Du, Y. Pan, J. Ding, H. Lai, C. Huang: EGRank: an exponentiated gradient algorithm for sparse
        learning-to-rank. Information Sciences 467, 2018.
    .. [auslender2006]
        A. Auslender, M. Teboulle: Interior gradient and proximal methods for convex and conic optimization. SIAM
        Journal on Optimization 16(3), 2006.
    """

    _method = "eg-rank"

    def __init__(
        self,
        *,
        r: float | Sequence[float] | str = "auto",
        eta: float | str = "auto",
        epsilon: float = 0.01,
        steps: int = 1000,
        threshold: float = 0.01,
        measure: str = "map[ties=expected]",
        slack: float = 0.0,
        standardise: str = "auto",
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
        self.r = r
        self.eta = eta
        self.epsilon = epsilon
        self.steps = steps
        self.threshold = threshold
        self.measure = measure
        self.slack = slack
        self.standardise = standardise


class RSRank(RankingSelector):
    """Features that survive a truncated descent on pairs weighted by NDCG.

    The method ``rsrank`` of featherank (embedded, as published).

    Parameters
    ----------
    g : float or Sequence[float] or str, default='auto'
        Price of a weight against the loss; chosen on validation data unless set. Range: auto, or 0 to 1e12; several
        with commas between.
    iterations : float or str, default='auto'
        Steps of the descent; chosen on validation data unless set. Range: auto, or 1 to 100000.
    starts : int, default=2
        Initial vectors that validation data chooses among: the first is even, the others are random. Range: 1 to 100.
    eta : float or str, default='auto'
        Length of a step; from the largest curvature unless set. Range: auto, or 1e-12 to 1.
    interval : int, default=1
        Iterations from one truncation to the next. Range: 1 to 1000.
    truncation : str, default='published'
        Whether weights are cut by eta times g, or by that times the interval. Range: published, langford.
    measure : str, default='map[ties=expected]'
        What chooses the model on validation data. Range: any measure.
    slack : float, default=0.0
        Takes the sparsest model that is at most so much worse than the best on validation data. Range: 0 to 1.
    standardise : str, default='auto'
        Divide features by their standard deviation within queries; auto does where some value is outside 0 to 1. Range:
        auto, no, yes.
    k, keep, drop, costs, budget, random_state, n_jobs, time_limit, verbose
        See `RankingSelector`.

    References
    ----------
    .. [sun2009]
        Z. Sun, T. Qin, Q. Tao, J. Wang: Robust sparse rank learning for non-smooth ranking measures. SIGIR 2009.
    .. [langford2009]
        J. Langford, L. Li, T. Zhang: Sparse online learning via truncated gradient. JMLR 10, 2009.
    """

    _method = "rsrank"

    def __init__(
        self,
        *,
        g: float | Sequence[float] | str = "auto",
        iterations: float | str = "auto",
        starts: int = 2,
        eta: float | str = "auto",
        interval: int = 1,
        truncation: str = "published",
        measure: str = "map[ties=expected]",
        slack: float = 0.0,
        standardise: str = "auto",
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
        self.g = g
        self.iterations = iterations
        self.starts = starts
        self.eta = eta
        self.interval = interval
        self.truncation = truncation
        self.measure = measure
        self.slack = slack
        self.standardise = standardise
