"""Which numbers the functions of SciPy give, and the helpers of gradients.

>>> from yota_ast.ops.registry import REGISTRY, Path
>>> Path("scipy.fft", "fft") in REGISTRY.stating("numbers")
True
"""

from __future__ import annotations

from yota_ast.ops.dtypes.python_dtypes import FIRST, FLOATS, INTEGERS, OF_COMPLEX
from yota_ast.ops.record import FLOAT, Numbers
from yota_ast.ops.registry import named, state

state(
    *named("scipy.special", "logsumexp softmax log_softmax multigammaln"),
    *named("scipy.special", "polygamma spherical_jn spherical_yn spherical_in zeta"),
    *named("scipy.special", "spherical_kn lambertw softplus"),
    *named(
        "scipy.linalg",
        """cholesky cho_solve det eigh expm expm_frechet inv logm lu lu_solve pinv
        pinvh polar qr schur solve solve_banded solve_continuous_are
        solve_continuous_lyapunov solve_discrete_are solve_discrete_lyapunov
        solve_lyapunov solve_sylvester solve_triangular sqrtm svd""",
    ),
    *named("scipy.integrate", "cumulative_trapezoid simpson trapezoid"),
    *named("scipy.interpolate", "splev bisplev"),
    *named(
        "scipy.signal",
        """chirp detrend fftconvolve filtfilt lfilter oaconvolve resample resample_poly
        savgol_filter sosfilt sosfiltfilt""",
    ),
    *named("scipy.integrate", "odeint quad quad_vec solve_ivp"),
    *named(
        "scipy.optimize",
        """bisect brenth brentq curve_fit fixed_point fmin fmin_bfgs fsolve
        least_squares minimize minimize_scalar newton ridder root root_scalar
        rosen toms748""",
    ),
    *named("scipy.stats", "gmean hmean pmean kurtosis skew sem variation zscore"),
    *named("scipy.stats", "entropy"),
    *named("scipy.fft", "dct idct dst idst"),
    *named("scipy.fftpack", "dct idct dst idst"),
    numbers=Numbers(None, FLOAT, rises=True, mixed=True),
)
state(
    *named("scipy.fftpack", "hilbert ihilbert"),
    numbers=Numbers((0,), FLOAT, rises=True),
)
state(
    *named("scipy.special", "comb factorial factorial2"),
    numbers=Numbers(None, FLOAT, plain=2, unless=frozenset({"exact"})),
)
state(
    *named("scipy.linalg", "eigvalsh svdvals norm"),
    *named("scipy.fft", "irfft hfft irfft2 irfftn"),
    numbers=Numbers((0,), FLOAT, FLOAT),
)
state(
    *named("scipy.fft", "fftfreq rfftfreq"),
    *named("scipy.stats", "*.pdf *.logpdf *.cdf *.logcdf *.sf *.logsf *.ppf *.isf"),
    *named("scipy.stats", "*.pmf *.logpmf *._pdf *._logpdf *._cdf *._logcdf *._sf"),
    *named("scipy.stats", "*._logsf *._ppf *._isf"),
    numbers=Numbers(None, FLOAT, mixed=True),
)
state(*named("scipy.spatial.distance", "cdist pdist"), numbers=FLOATS)
state(
    *named(
        "scipy.spatial.distance",
        """euclidean sqeuclidean minkowski canberra braycurtis cosine correlation
        seuclidean mahalanobis jensenshannon""",
    ),
    numbers=Numbers(None, FLOAT, mixed=True),
)
state(
    *named("scipy.spatial.distance", "cityblock chebyshev"),
    numbers=Numbers(None, mixed=True),
)
state(
    *named("scipy.fft", "fft ifft fft2 ifft2 fftn ifftn rfft rfft2 rfftn ihfft"),
    *named("scipy.fftpack", "fft ifft fft2 ifft2 fftn ifftn"),
    *named("scipy.signal", "hilbert"),
    numbers=OF_COMPLEX,
)
state(*named("scipy.fft", "next_fast_len"), numbers=INTEGERS)
state(
    *named("scipy.linalg.blas", "dasum ddot dgemm dgemv dnrm2 dsymm dsymv dsyrk dtrmm"),
    numbers=FLOATS,
)
state(
    *named("scipy.fft", "fftshift ifftshift"),
    *named("scipy.linalg", "circulant"),
    *named("scipy.spatial.distance", "squareform"),
    *named(
        "scipy.ndimage",
        """convolve convolve1d correlate correlate1d gaussian_filter gaussian_filter1d
        laplace map_coordinates sobel uniform_filter uniform_filter1d zoom
        maximum_filter median_filter minimum_filter percentile_filter rank_filter
        grey_dilation grey_erosion""",
    ),
    *named("scipy.signal", "medfilt"),
    numbers=Numbers((0,), rises=True, unless=frozenset({"output", "out"})),
)
state(
    *named("scipy.linalg", "block_diag toeplitz"),
    *named("scipy.signal", "convolve convolve2d correlate correlate2d"),
    numbers=Numbers(None, rises=True),
)

# ---------------------------------------------------------------- helpers

state(
    *named(
        "runtime",
        """checked held tail uncumsum undelete undiff unpad unpad_picked
        unpartition unpinv unpinv_cut unrepeat unresize unroll_axis unsort unstack
        untile untranspose unvander unconcatenate unfollow unbroadcast unnorm
        without_dtype count_valid unlinspace unpolyder without_first stop_gradient
        replace_grad         both_triangles one_triangle unsign""",
    ),
    numbers=FIRST,
)
state(
    *named(
        "runtime",
        """undot_left uninner_left unkron_left unmatmul_left untensordot_left
        unconvolve_left uncorrelate_left unpolymul unpolyval""",
    ),
    numbers=Numbers((0, 2), rises=True),
)
state(
    *named(
        "runtime",
        """undot_right uninner_right unkron_right unmatmul_right untensordot_right
        unconvolve_right uncorrelate_right expand unsum unsum_where unexpm""",
    ),
    numbers=Numbers((0, 1), rises=True),
)
state(
    *named(
        "runtime",
        """polygamma divided quotient_or_zero i0_slope interp_slope
        like log_or_zero sinc_slope uncast uncond undiagonal uneigh uneigvalsh
        ungradient ungetitem uninterp_values unlower unmax unmedian unquantile
        unslide unsvdvals untake untake_along_axis untrace ununique""",
    ),
    numbers=Numbers(None, FLOAT, rises=True, mixed=True),
)
state(*named("runtime", "product_or_zero"), numbers=Numbers((0, 1), rises=True))
state(*named("runtime", "unrfft unrfftn"), numbers=FLOATS)
state(
    *named("runtime", "unfft unfftn unifft unifftn unirfft unirfftn"),
    numbers=OF_COMPLEX,
)
state(*named("runtime", "resort"), numbers=Numbers((0,), rises=True))
state(*named("runtime", "count"), numbers=INTEGERS)
