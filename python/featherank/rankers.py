"""Rankers: they learn to score documents.

Made by python/generate.py from the registry; a test keeps it true.
"""

from __future__ import annotations

import numpy as np

from featherank._ranker import RankingEstimator

__all__ = [
    "AdaRankMAP",
    "AdaRankNDCG",
    "CoordinateAscent",
    "LambdaMART",
    "LambdaRank",
    "LinearRegression",
    "ListNet",
    "MART",
    "RandomForest",
    "RankRLS",
    "RankSVMPrimal",
    "RankSVMStruct",
    "RegressionTree",
    "SVMMAP",
    "SingleFeature",
]


class SingleFeature(RankingEstimator):
    """The ranking that one feature gives.

    The method ``single-feature`` of featherank (ranker, as published).

    Parameters
    ----------
    feature : str, default='best'
        Which feature ranks. Range: a feature's name or id, or best.
    measure : str, default='ndcg[ties=expected]@10'
        What "best" means. Range: any measure.
    normaliser, random_state, n_jobs, time_limit, verbose
        See `RankingEstimator`.

    References
    ----------
    .. [dincer2014]
        B. T. Dinçer, C. Macdonald, I. Ounis: Hypothesis testing for the risk-sensitive evaluation of retrieval systems.
        SIGIR 2014.
    """

    _method = "single-feature"

    def __init__(
        self,
        *,
        feature: str = "best",
        measure: str = "ndcg[ties=expected]@10",
        normaliser: str = "none",
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            normaliser=normaliser,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.feature = feature
        self.measure = measure


class LinearRegression(RankingEstimator):
    """Least squares on the labels, with an intercept.

    The method ``linear-regression`` of featherank (ranker, as published).

    Parameters
    ----------
    centring : str, default='overall'
        Whether means are taken over all documents or within each query. Range: overall, query.
    ridge : float, default=0.0
        Times the squared weights, added to the sum of squared errors. Range: 0 to 1e12.
    normaliser, random_state, n_jobs, time_limit, verbose
        See `RankingEstimator`.

    References
    ----------
    .. [hoerl1970]
        A. E. Hoerl, R. W. Kennard: Ridge regression: biased estimation for nonorthogonal problems. Technometrics 12(1),
        1970.
    .. [sousa2016]
        D. X. Sousa, S. D. Canuto, T. C. Rosa, W. S. Martins, M. A. Gonçalves: Incorporating risk-sensitiveness into
        feature selection for learning to rank. CIKM 2016.
    """

    _method = "linear-regression"

    def __init__(
        self,
        *,
        centring: str = "overall",
        ridge: float = 0.0,
        normaliser: str = "none",
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            normaliser=normaliser,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.centring = centring
        self.ridge = ridge


class RankRLS(RankingEstimator):
    """Regularised least squares on differences between documents of a query.

    The method ``rankrls`` of featherank (ranker, as published).

    Parameters
    ----------
    lambda_ : float, default=1.0
        Weight of the squared weights against the sum of squared errors. Range: 0 to 1e12.
    weighting : str, default='pairs'
        Whether a query counts by its pairs or by its documents. Range: pairs, queries.
    normaliser, random_state, n_jobs, time_limit, verbose
        See `RankingEstimator`.

    References
    ----------
    .. [pahikkala2009]
        T. Pahikkala, E. Tsivtsivadze, A. Airola, J. Järvinen, J. Boberg: An efficient algorithm for learning to rank
        from preference graphs. Machine Learning 75(1), 2009.
    """

    _method = "rankrls"

    def __init__(
        self,
        *,
        lambda_: float = 1.0,
        weighting: str = "pairs",
        normaliser: str = "none",
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            normaliser=normaliser,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.lambda_ = lambda_
        self.weighting = weighting


class RankSVMPrimal(RankingEstimator):
    """Squared hinge on preference pairs, by Newton's method.

    The method ``ranksvm-primal`` of featherank (ranker, as published).

    Parameters
    ----------
    c : float, default=100.0
        Weight of the loss against half the squared weights. Range: 1e-12 to 1e12.
    scale : str, default='mean'
        Whether c multiplies the mean loss of a pair or, as published, the sum. Range: mean, sum.
    tolerance : float, default=1e-09
        Stops when a step would lower the objective by less than this share of it. Range: 1e-15 to 0.1.
    normaliser, random_state, n_jobs, time_limit, verbose
        See `RankingEstimator`.

    References
    ----------
    .. [chapelle2010]
        O. Chapelle, S. S. Keerthi: Efficient algorithms for ranking with SVMs. Information Retrieval 13(3), 2010.
    """

    _method = "ranksvm-primal"

    def __init__(
        self,
        *,
        c: float = 100.0,
        scale: str = "mean",
        tolerance: float = 1e-09,
        normaliser: str = "none",
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            normaliser=normaliser,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.c = c
        self.scale = scale
        self.tolerance = tolerance


class RankSVMStruct(RankingEstimator):
    """Hinge on preference pairs, by cutting planes.

    The method ``ranksvm-struct`` of featherank (ranker, as published).

    Parameters
    ----------
    c : float, default=100.0
        Weight of the loss against half the squared weights. Range: 1e-12 to 1e12.
    scale : str, default='mean'
        Whether c multiplies the mean loss of a pair or, as published, the sum. Range: mean, sum.
    epsilon : float, default=0.001
        Stops when the objective is surely within this share of its minimum. Range: 1e-12 to 0.1.
    normaliser, random_state, n_jobs, time_limit, verbose
        See `RankingEstimator`.

    References
    ----------
    .. [joachims2002]
        T. Joachims: Optimizing search engines using clickthrough data. KDD 2002.
    .. [joachims2006]
        T. Joachims: Training linear SVMs in linear time. KDD 2006.
    .. [joachims2009]
        T. Joachims, T. Finley, C.-N. J. Yu: Cutting-plane training of structural SVMs. Machine Learning 77(1), 2009.
    .. [franc2009]
        V. Franc, S. Sonnenburg: Optimized cutting plane algorithm for large-scale risk minimization. JMLR 10, 2009.
    """

    _method = "ranksvm-struct"

    def __init__(
        self,
        *,
        c: float = 100.0,
        scale: str = "mean",
        epsilon: float = 0.001,
        normaliser: str = "none",
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            normaliser=normaliser,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.c = c
        self.scale = scale
        self.epsilon = epsilon


class SVMMAP(RankingEstimator):
    """Structural SVM that bounds the loss of average precision.

    The method ``svm-map`` of featherank (ranker, as published).

    Parameters
    ----------
    c : float, default=10.0
        Weight of the mean loss of a query against half the squared weights. Range: 1e-12 to 1e12.
    relevant : float, default=1.0
        Least label of a relevant document. Range: 0 to 1e6.
    epsilon : float, default=0.001
        Stops when the objective is surely within this share of its minimum. Range: 1e-12 to 0.1.
    normaliser, random_state, n_jobs, time_limit, verbose
        See `RankingEstimator`.

    References
    ----------
    .. [yue2007]
        Y. Yue, T. Finley, F. Radlinski, T. Joachims: A support vector method for optimizing average precision. SIGIR
        2007.
    .. [joachims2009]
        T. Joachims, T. Finley, C.-N. J. Yu: Cutting-plane training of structural SVMs. Machine Learning 77(1), 2009.
    .. [franc2009]
        V. Franc, S. Sonnenburg: Optimized cutting plane algorithm for large-scale risk minimization. JMLR 10, 2009.
    """

    _method = "svm-map"

    def __init__(
        self,
        *,
        c: float = 10.0,
        relevant: float = 1.0,
        epsilon: float = 0.001,
        normaliser: str = "none",
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            normaliser=normaliser,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.c = c
        self.relevant = relevant
        self.epsilon = epsilon


class ListNet(RankingEstimator):
    """Linear scores whose softmax follows that of the labels.

    The method ``listnet`` of featherank (ranker, as published).

    Parameters
    ----------
    eta : float, default=0.01
        How far weights move after a query. Range: 1e-9 to 100.
    epochs : int, default=300
        How often every query is visited, at most. Range: 1 to 100000.
    patience : int, default=50
        Epochs without a better validation value before it stops; 0: never. Range: 0 to 100000.
    measure : str, default='ndcg[ties=expected]@10'
        What is better on validation data. Range: any measure.
    normaliser, random_state, n_jobs, time_limit, verbose
        See `RankingEstimator`.

    References
    ----------
    .. [cao2007]
        Z. Cao, T. Qin, T.-Y. Liu, M.-F. Tsai, H. Li: Learning to rank: from pairwise approach to listwise approach.
        ICML 2007.
    """

    _method = "listnet"

    def __init__(
        self,
        *,
        eta: float = 0.01,
        epochs: int = 300,
        patience: int = 50,
        measure: str = "ndcg[ties=expected]@10",
        normaliser: str = "none",
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            normaliser=normaliser,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.eta = eta
        self.epochs = epochs
        self.patience = patience
        self.measure = measure


class LambdaRank(RankingEstimator):
    """Linear scores pushed where NDCG would gain most.

    The method ``lambdarank`` of featherank (ranker, as published).

    Parameters
    ----------
    eta : float, default=0.001
        How far weights move in an epoch, for every query. Range: 1e-9 to 100.
    epochs : int, default=300
        Steps, at most. Range: 1 to 100000.
    cutoff : int, default=0
        Positions of NDCG that count; 0: all. Range: 0 to 1000000.
    patience : int, default=50
        Epochs without a better validation value before it stops; 0: never. Range: 0 to 100000.
    measure : str, default='ndcg[ties=expected]@10'
        What is better on validation data. Range: any measure.
    normaliser, random_state, n_jobs, time_limit, verbose
        See `RankingEstimator`.

    References
    ----------
    .. [burges2006]
        C. Burges, R. Ragno, Q. V. Le: Learning to rank with nonsmooth cost functions. NIPS 2006.
    """

    _method = "lambdarank"

    def __init__(
        self,
        *,
        eta: float = 0.001,
        epochs: int = 300,
        cutoff: int = 0,
        patience: int = 50,
        measure: str = "ndcg[ties=expected]@10",
        normaliser: str = "none",
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            normaliser=normaliser,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.eta = eta
        self.epochs = epochs
        self.cutoff = cutoff
        self.patience = patience
        self.measure = measure


class AdaRankNDCG(RankingEstimator):
    """Features boosted for NDCG.

    The method ``adarank-ndcg`` of featherank (ranker, as published).

    Parameters
    ----------
    measure : str, default='ndcg[ties=expected]@10'
        What is boosted. Range: any measure.
    validation : str, default='ndcg[ties=expected]@10'
        What chooses the number of rounds on validation data. Range: any measure.
    update : str, default='paper'
        Whose rules weigh queries and end the rounds. Range: paper, ranklib.
    rounds : int, default=100
        Rounds, at most. Range: 1 to 500.
    repeats : str, default='allow'
        Whether a feature may be picked again. Range: allow, forbid.
    tolerance : float, default=0.002
        RankLib: a fall on training data that ends a phase. Range: 0 to 1.
    enqueue : str, default='yes'
        RankLib: a feature picked twice running waits until the others are done. Range: yes, no.
    streak : int, default=5
        RankLib: idle picks running after which a feature is left out. Range: 1 to 500.
    normaliser, random_state, n_jobs, time_limit, verbose
        See `RankingEstimator`.

    References
    ----------
    .. [xu2007]
        J. Xu, H. Li: AdaRank: a boosting algorithm for information retrieval. SIGIR 2007.
    """

    _method = "adarank-ndcg"

    def __init__(
        self,
        *,
        measure: str = "ndcg[ties=expected]@10",
        validation: str = "ndcg[ties=expected]@10",
        update: str = "paper",
        rounds: int = 100,
        repeats: str = "allow",
        tolerance: float = 0.002,
        enqueue: str = "yes",
        streak: int = 5,
        normaliser: str = "none",
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            normaliser=normaliser,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.measure = measure
        self.validation = validation
        self.update = update
        self.rounds = rounds
        self.repeats = repeats
        self.tolerance = tolerance
        self.enqueue = enqueue
        self.streak = streak


class AdaRankMAP(RankingEstimator):
    """Features boosted for average precision.

    The method ``adarank-map`` of featherank (ranker, as published).

    Parameters
    ----------
    measure : str, default='map[ties=expected]'
        What is boosted. Range: any measure.
    validation : str, default='map[ties=expected]'
        What chooses the number of rounds on validation data. Range: any measure.
    update : str, default='paper'
        Whose rules weigh queries and end the rounds. Range: paper, ranklib.
    rounds : int, default=100
        Rounds, at most. Range: 1 to 500.
    repeats : str, default='allow'
        Whether a feature may be picked again. Range: allow, forbid.
    tolerance : float, default=0.002
        RankLib: a fall on training data that ends a phase. Range: 0 to 1.
    enqueue : str, default='yes'
        RankLib: a feature picked twice running waits until the others are done. Range: yes, no.
    streak : int, default=5
        RankLib: idle picks running after which a feature is left out. Range: 1 to 500.
    normaliser, random_state, n_jobs, time_limit, verbose
        See `RankingEstimator`.

    References
    ----------
    .. [xu2007]
        J. Xu, H. Li: AdaRank: a boosting algorithm for information retrieval. SIGIR 2007.
    """

    _method = "adarank-map"

    def __init__(
        self,
        *,
        measure: str = "map[ties=expected]",
        validation: str = "map[ties=expected]",
        update: str = "paper",
        rounds: int = 100,
        repeats: str = "allow",
        tolerance: float = 0.002,
        enqueue: str = "yes",
        streak: int = 5,
        normaliser: str = "none",
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            normaliser=normaliser,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.measure = measure
        self.validation = validation
        self.update = update
        self.rounds = rounds
        self.repeats = repeats
        self.tolerance = tolerance
        self.enqueue = enqueue
        self.streak = streak


class CoordinateAscent(RankingEstimator):
    """One weight after the other moved to where a measure is best.

    The method ``coordinate-ascent`` of featherank (ranker, as published).

    Parameters
    ----------
    measure : str, default='ndcg[ties=expected]@10'
        What is climbed. Range: any measure.
    restarts : int, default=5
        Climbs, each with its own orders of features. Range: 1 to 1000.
    iterations : int, default=25
        Trials in each direction. Range: 1 to 60.
    step : float, default=0.05
        First step from a small weight, as a share of it. Range: 1e-6 to 1.
    scale : float, default=2.0
        Growth of steps. Range: 1 to 10.
    tolerance : float, default=0.001
        Gain of a round over all features below which a climb ends. Range: 0 to 1.
    slack : float, default=0.0
        What a distance of 1 from equal weights costs. Range: 0 to 1000.
    normaliser, random_state, n_jobs, time_limit, verbose
        See `RankingEstimator`.

    References
    ----------
    .. [metzler2007]
        D. Metzler, W. B. Croft: Linear feature-based models for information retrieval. Information Retrieval 10(3),
        2007.
    """

    _method = "coordinate-ascent"

    def __init__(
        self,
        *,
        measure: str = "ndcg[ties=expected]@10",
        restarts: int = 5,
        iterations: int = 25,
        step: float = 0.05,
        scale: float = 2.0,
        tolerance: float = 0.001,
        slack: float = 0.0,
        normaliser: str = "none",
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            normaliser=normaliser,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.measure = measure
        self.restarts = restarts
        self.iterations = iterations
        self.step = step
        self.scale = scale
        self.tolerance = tolerance
        self.slack = slack


class RegressionTree(RankingEstimator):
    """One unpruned regression tree.

    The method ``regression-tree`` of featherank (ranker, as published).

    Parameters
    ----------
    leaves : int, default=0
        Most leaves, best splits first; 0 grows the whole tree. Range: 0 to 1000000.
    min_leaf : int, default=1
        Fewest documents in a leaf. Range: 1 to 1000000.
    normaliser, random_state, n_jobs, time_limit, verbose
        See `RankingEstimator`.

    References
    ----------
    .. [breiman1984]
        L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone: Classification and regression trees. Wadsworth 1984.
    .. [sousa2016]
        D. X. Sousa, S. D. Canuto, T. C. Rosa, W. S. Martins, M. A. Gonçalves: Incorporating risk-sensitiveness into
        feature selection for learning to rank. CIKM 2016.
    """

    _method = "regression-tree"

    def __init__(
        self,
        *,
        leaves: int = 0,
        min_leaf: int = 1,
        normaliser: str = "none",
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            normaliser=normaliser,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.leaves = leaves
        self.min_leaf = min_leaf


class RandomForest(RankingEstimator):
    """The mean of many unpruned regression trees, each on its own draw of documents.

    The method ``random-forest`` of featherank (ranker, as published).

    Parameters
    ----------
    trees : int, default=100
        Number of trees. Range: 1 to 100000.
    leaves : int, default=0
        Most leaves, best splits first; 0 grows the whole tree. Range: 0 to 1000000.
    min_leaf : int, default=1
        Fewest documents in a leaf. Range: 1 to 1000000.
    features_per_split : float, default=1.0
        Share of features drawn for each split. Range: 0.001 to 1.
    features_per_tree : float, default=1.0
        Share of features drawn for each tree. Range: 0.001 to 1.
    bootstrap : str, default='yes'
        Draw documents with replacement for each tree. Range: yes, no.
    normaliser, random_state, n_jobs, time_limit, verbose
        See `RankingEstimator`.

    References
    ----------
    .. [breiman2001]
        L. Breiman: Random forests. Machine Learning 45(1), 2001.
    .. [sousa2016]
        D. X. Sousa, S. D. Canuto, T. C. Rosa, W. S. Martins, M. A. Gonçalves: Incorporating risk-sensitiveness into
        feature selection for learning to rank. CIKM 2016.
    """

    _method = "random-forest"

    def __init__(
        self,
        *,
        trees: int = 100,
        leaves: int = 0,
        min_leaf: int = 1,
        features_per_split: float = 1.0,
        features_per_tree: float = 1.0,
        bootstrap: str = "yes",
        normaliser: str = "none",
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            normaliser=normaliser,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.trees = trees
        self.leaves = leaves
        self.min_leaf = min_leaf
        self.features_per_split = features_per_split
        self.features_per_tree = features_per_tree
        self.bootstrap = bootstrap


class MART(RankingEstimator):
    """Regression trees boosted on the squared error of the labels.

    The method ``mart`` of featherank (ranker, as published).

    Parameters
    ----------
    trees : int, default=1000
        Most trees; with validation data the best number of them is kept. Range: 1 to 100000.
    learning_rate : float, default=0.1
        How much of each tree counts. Range: 1e-6 to 1.
    leaves : int, default=10
        Leaves of a tree, best splits first. Range: 2 to 100000.
    min_leaf : int, default=1
        Fewest documents in a leaf. Range: 1 to 1000000.
    patience : int, default=100
        Stop after so many trees without a better validation value. Range: 1 to 100000.
    measure : str, default='ndcg[ties=expected]@10'
        What is looked at on validation data. Range: any measure.
    normaliser, random_state, n_jobs, time_limit, verbose
        See `RankingEstimator`.

    References
    ----------
    .. [friedman2001]
        J. H. Friedman: Greedy function approximation: a gradient boosting machine. Annals of Statistics 29(5), 2001.
    """

    _method = "mart"

    def __init__(
        self,
        *,
        trees: int = 1000,
        learning_rate: float = 0.1,
        leaves: int = 10,
        min_leaf: int = 1,
        patience: int = 100,
        measure: str = "ndcg[ties=expected]@10",
        normaliser: str = "none",
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            normaliser=normaliser,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.trees = trees
        self.learning_rate = learning_rate
        self.leaves = leaves
        self.min_leaf = min_leaf
        self.patience = patience
        self.measure = measure


class LambdaMART(RankingEstimator):
    """Regression trees boosted on the lambdas of NDCG; lambdas and splits as in LightGBM unless told otherwise.

    The method ``lambdamart`` of featherank (ranker, as published).

    Parameters
    ----------
    trees : int, default=1000
        Most trees; with validation data the best number of them is kept. Range: 1 to 100000.
    learning_rate : float, default=0.1
        How much of each tree counts. Range: 1e-6 to 1.
    leaves : int, default=10
        Leaves of a tree, best splits first. Range: 2 to 100000.
    min_leaf : int, default=1
        Fewest documents in a leaf. Range: 1 to 1000000.
    patience : int, default=100
        Stop after so many trees without a better validation value. Range: 1 to 100000.
    measure : str, default='ndcg[ties=expected]@10'
        What is looked at on validation data. Range: any measure.
    cutoff : int, default=30
        Positions whose NDCG the lambdas are of; 0 means all. Range: 0 to 1000000.
    normalise : str, default='yes'
        LightGBM's normalisation of lambdas: close pairs count more, and queries alike. Range: yes, no.
    splits : str, default='newton'
        What splits make better: the leaves' Newton steps, or the squared error of the lambdas. Range: newton,
        least-squares.
    min_curvature : float, default=0.001
        Least curvature in a leaf, for Newton splits. Range: 0 to 1e6.
    normaliser, random_state, n_jobs, time_limit, verbose
        See `RankingEstimator`.

    References
    ----------
    .. [burges2010]
        C. Burges: From RankNet to LambdaRank to LambdaMART: an overview. Microsoft Research TR-2010-82, 2010.
    .. [wu2010]
        Q. Wu, C. Burges, K. M. Svore, J. Gao: Adapting boosting for information retrieval measures. Information
        Retrieval 13(3), 2010.
    .. [ke2017]
        G. Ke, Q. Meng, T. Finley, T. Wang, W. Chen, W. Ma, Q. Ye, T.-Y. Liu: LightGBM: a highly efficient gradient
        boosting decision tree. NIPS 2017.
    .. [sousa2016]
        D. X. Sousa, S. D. Canuto, T. C. Rosa, W. S. Martins, M. A. Gonçalves: Incorporating risk-sensitiveness into
        feature selection for learning to rank. CIKM 2016.
    """

    _method = "lambdamart"

    def __init__(
        self,
        *,
        trees: int = 1000,
        learning_rate: float = 0.1,
        leaves: int = 10,
        min_leaf: int = 1,
        patience: int = 100,
        measure: str = "ndcg[ties=expected]@10",
        cutoff: int = 30,
        normalise: str = "yes",
        splits: str = "newton",
        min_curvature: float = 0.001,
        normaliser: str = "none",
        random_state: int | np.random.RandomState | None = 1,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            normaliser=normaliser,
            random_state=random_state,
            n_jobs=n_jobs,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.trees = trees
        self.learning_rate = learning_rate
        self.leaves = leaves
        self.min_leaf = min_leaf
        self.patience = patience
        self.measure = measure
        self.cutoff = cutoff
        self.normalise = normalise
        self.splits = splits
        self.min_curvature = min_curvature
