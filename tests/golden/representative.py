"""Functions that people write with NumPy's larger parts: factorisations, systems of
equations, transforms, products by subscripts, order statistics."""

import numpy as np


def log_density(x, mean, cov):
    """Of a multivariate normal distribution, at the rows of x, summed."""
    L = np.linalg.cholesky(cov)
    z = np.linalg.solve(L, (x - mean).T)
    logdet = 2 * np.sum(np.log(np.diag(L)))
    n, d = x.shape
    return -0.5 * (np.sum(z**2) + n * (logdet + d * np.log(2 * np.pi)))


def explained(X, k):
    """The share of the variance that k principal components explain."""
    centred = X - X.mean(axis=0)
    _, s, _ = np.linalg.svd(centred, full_matrices=False)
    var = s**2
    return np.sum(var[:k]) / np.sum(var)


def reconstruction(X, w):
    """The error of a PCA whose components are weighted."""
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    Y = (U * (s * w)) @ Vt
    return np.mean((X - Y) ** 2)


def lowpass(x, cutoff, target):
    """The error of a smooth low-pass filter."""
    spectrum = np.fft.rfft(x)
    f = np.fft.rfftfreq(x.size)
    gain = 1 / (1 + (f / cutoff) ** 4)
    y = np.fft.irfft(gain * spectrum, n=x.size)
    return np.sum((y - target) ** 2)


def fit(A, b, w):
    """A functional of the weighted least-squares solution."""
    c = np.linalg.lstsq(A * w[:, None], b * w, rcond=None)[0]
    return np.sum(c**2)


def trend(t, y, t_new):
    """What a fitted parabola foretells."""
    c = np.polyfit(t, y, 2)
    return np.sum(np.polyval(c, t_new))


def attention(Q, K, V):
    """Softmax attention of several heads."""
    scores = np.einsum("hqd,hkd->hqk", Q, K) / np.sqrt(Q.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return np.sum(np.einsum("hqk,hkd->hqd", weights, V) ** 2)


def gp_likelihood(x, y, length, amplitude, noise):
    """The marginal likelihood of a Gaussian process."""
    r2 = (x[:, None] - x[None, :]) ** 2
    K = amplitude**2 * np.exp(-r2 / (2 * length**2)) + noise**2 * np.eye(len(x))
    alpha = np.linalg.solve(K, y)
    _, logdet = np.linalg.slogdet(K)
    return -0.5 * (y @ alpha + logdet + len(x) * np.log(2 * np.pi))


def kalman_step(m, P, z, F, Q, H, R):
    """The log-likelihood of one measurement in a Kalman filter."""
    m = F @ m
    P = F @ P @ F.T + Q
    e = z - H @ m
    S = H @ P @ H.T + R
    K = np.linalg.solve(S, H @ P).T
    m = m + K @ e
    P = P - K @ H @ P
    _, logdet = np.linalg.slogdet(S)
    return -0.5 * (e @ np.linalg.solve(S, e) + logdet) + np.trace(P) + m @ m


def mixture(x, logits, means, scales):
    """The log-likelihood of a mixture of normal distributions."""
    z = (x[:, None] - means) / scales
    logp = logits - np.log(np.sum(np.exp(logits))) - np.log(scales) - 0.5 * z**2
    top = logp.max(axis=1, keepdims=True)
    return np.sum(top[:, 0] + np.log(np.sum(np.exp(logp - top), axis=1)))


def pinball(pred, y, q):
    """The pinball loss, and how far the worst tenth lies from the middle."""
    e = y - pred
    loss = np.mean(np.maximum(q * e, (q - 1) * e))
    spread = np.percentile(e, 90) - np.median(e)
    return loss + spread + np.mean(np.sort(np.abs(e))[-2:])
