"""The gradients of `functions.py`, as an expert would check them in."""

import math

import numpy as np
from functions import R, predation


def ridge_logistic_grad(w, b, X, y, lam, seed=1.0):
    """Value of ridge_logistic and its gradients with respect to w, b."""
    z = X @ w + b
    t1 = np.exp(z)
    nll = np.sum(np.log1p(t1) - y * z)
    val = nll + 0.5 * lam * np.sum(w**2)

    # reverse
    dz = seed * (1 / (1 + np.exp(-z)) - y)
    dw = (seed * lam) * w + X.T @ dz
    db = dz.sum()
    return val, dw, float(db)


def gp_nll_grad(theta, X, y, seed=1.0):
    """Value of gp_nll and its gradient with respect to theta."""
    log_ell, log_sf, log_sn = theta
    ell, sf2, sn2 = np.exp(log_ell), np.exp(2 * log_sf), np.exp(2 * log_sn)
    d2 = np.sum((X[:, None, :] - X[None, :, :]) ** 2, axis=-1)
    Kf = sf2 * np.exp(-0.5 * d2 / ell**2)
    K = Kf + sn2 * np.eye(len(y))
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    fit = 0.5 * y @ alpha + np.sum(np.log(np.diag(L)))
    val = fit + 0.5 * len(y) * np.log(2 * np.pi)

    # reverse: dK = (inv(K) - outer(alpha, alpha)) / 2
    Linv = np.linalg.inv(L)
    dK = (0.5 * seed) * (Linv.T @ Linv - np.outer(alpha, alpha))
    dKf = dK * Kf
    dlog_ell = np.vdot(dKf, d2) / ell**2
    dlog_sf = 2 * dKf.sum()
    dlog_sn = 2 * sn2 * np.trace(dK)
    return val, np.array([dlog_ell, dlog_sf, dlog_sn])


def mixture_nll_grad(logits, mu, log_sigma, x, seed=1.0):
    """Value of mixture_nll and its gradients with respect to all but x."""
    t1 = np.exp(logits)
    t2 = np.sum(t1)
    log_pi = logits - np.log(t2)
    sigma = np.exp(log_sigma)
    z = (x[:, None] - mu) / sigma
    log_p = log_pi - log_sigma - 0.5 * z**2
    m = np.max(log_p, axis=1, keepdims=True)
    t3 = np.exp(log_p - m)
    t4 = np.sum(t3, axis=1)
    lse = m[:, 0] + np.log(t4)
    val = -np.sum(lse)

    # reverse
    dlog_p = (-seed / t4)[:, None] * t3
    dlog_pi = dlog_p.sum(axis=0)
    dz = -dlog_p * z
    dmu = -dz.sum(axis=0) / sigma
    dlog_sigma = -dlog_pi - (dz * z).sum(axis=0)
    dlogits = dlog_pi - (dlog_pi.sum() / t2) * t1
    return val, dlogits, dmu, dlog_sigma


def kalman_nll_grad(A, Q, R, C, m, P, Y, seed=1.0):
    """Value of kalman_nll and its gradients with respect to A, Q, R."""
    nll = 0.0
    saved = []
    for y in Y:
        m_in, P_in = m, P
        m = A @ m
        P = A @ P @ A.T + Q
        v = y - C @ m
        S = C @ P @ C.T + R
        Sinv = np.linalg.inv(S)
        nll = nll + 0.5 * (np.log(np.linalg.det(S)) + v @ Sinv @ v)
        K = P @ C.T @ Sinv
        saved.append((m_in, P_in, P, v, Sinv, K))
        m = m + K @ v
        P = P - K @ C @ P

    # reverse
    dA, dQ, dR = np.zeros_like(A), np.zeros_like(Q), np.zeros_like(R)
    dm, dP = np.zeros_like(m), np.zeros_like(P)
    for m_in, P_in, P, v, Sinv, K in saved[::-1]:
        # P = P - K @ C @ P
        dK = -dP @ (C @ P).T
        dP = dP - (K @ C).T @ dP
        # m = m + K @ v
        dK += np.outer(dm, v)
        dv = dm @ K
        # K = P @ C.T @ Sinv
        dP += dK @ Sinv.T @ C
        dSinv = (P @ C.T).T @ dK
        # nll = nll + 0.5 * (np.log(np.linalg.det(S)) + v @ Sinv @ v)
        dv += (0.5 * seed) * (Sinv @ v + v @ Sinv)
        dSinv += (0.5 * seed) * np.outer(v, v)
        # Sinv = np.linalg.inv(S)
        dS = (0.5 * seed) * Sinv.T - Sinv.T @ dSinv @ Sinv.T
        # S = C @ P @ C.T + R
        dP += C.T @ dS @ C
        dR += dS
        # v = y - C @ m
        dm = dm - dv @ C
        # P = A @ P @ A.T + Q
        dQ += dP
        dA += dP @ A @ P_in.T + dP.T @ A @ P_in
        dP = A.T @ dP @ A
        # m = A @ m
        dA += np.outer(dm, m_in)
        dm = dm @ A
    return nll, dA, dQ, dR


def predation_misfit_grad(p, z0, dt, data, seed=1.0):
    """Value of predation_misfit and its gradients with respect to p, z0."""
    z = z0
    misfit = 0.0
    saved = []
    for row in data:
        z1 = z
        k1 = predation(z1, p)
        z2 = z + 0.5 * dt * k1
        k2 = predation(z2, p)
        z3 = z + 0.5 * dt * k2
        k3 = predation(z3, p)
        z4 = z + dt * k3
        k4 = predation(z4, p)
        z = z + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        e = z - row
        saved.append((z1, z2, z3, z4, e))
        misfit = misfit + np.sum(e**2)

    # reverse
    dp = np.zeros_like(p)
    dz = np.zeros_like(z0)
    for z1, z2, z3, z4, e in saved[::-1]:
        dz += (2 * seed) * e
        dk = dt / 6 * dz
        dz4, dp4 = predation_reverse(dk, z4, p)
        dz3, dp3 = predation_reverse(2 * dk + dt * dz4, z3, p)
        dz2, dp2 = predation_reverse(2 * dk + 0.5 * dt * dz3, z2, p)
        dz1, dp1 = predation_reverse(dk + 0.5 * dt * dz2, z1, p)
        dz += dz1 + dz2 + dz3 + dz4
        dp += dp1 + dp2 + dp3 + dp4
    return misfit, dp, dz


def predation_reverse(dk, z, p):
    a, b, c, d = p
    x, y = z
    dk1, dk2 = dk
    dx = dk1 * (a - b * y) + dk2 * c * y
    dy = dk2 * (c * x - d) - dk1 * b * x
    return np.array([dx, dy]), np.array([dk1 * x, -dk1 * x * y, dk2 * x * y, -dk2 * y])


def reach_cost_grad(arm, target_x, target_y, stiffness, seed=1.0):
    """Value of reach_cost and its gradient with respect to arm."""
    x = y = heading = 0.0
    headings = []
    for link in arm.links:
        heading = heading + link.angle
        x = x + link.length * math.cos(heading)
        y = y + link.length * math.sin(heading)
        headings.append(heading)
    miss = (x - target_x) ** 2 + (y - target_y) ** 2
    bend = sum(link.angle**2 for link in arm.links)
    val = miss + stiffness * bend

    # reverse
    dx = 2 * seed * (x - target_x)
    dy = 2 * seed * (y - target_y)
    dheading = 0.0
    darm = {}
    for i in range(len(headings) - 1, -1, -1):
        length, angle, heading = arm.links[i].length, arm.links[i].angle, headings[i]
        c, s = math.cos(heading), math.sin(heading)
        dheading += length * (dy * c - dx * s)
        darm["links", i, "length"] = dx * c + dy * s
        darm["links", i, "angle"] = dheading + 2 * seed * stiffness * angle
    return val, darm


def attention_loss_grad(X, Wq, Wk, Wv, target, seed=1.0):
    """Value of attention_loss and its gradients with respect to all but target."""
    q, k, v = X @ Wq, X @ Wk, X @ Wv
    scale = np.sqrt(q.shape[1])
    scores = q @ k.T / scale
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    out = weights @ v
    t1 = out - target
    val = np.mean(t1**2)

    # reverse
    dout = (2 * seed / t1.size) * t1
    # out = weights @ v
    dweights = dout @ v.T
    dv = weights.T @ dout
    # weights = e / e.sum(axis=1, keepdims=True), e = np.exp(scores - ...)
    dscores = weights * (dweights - (dweights * weights).sum(axis=1, keepdims=True))
    # scores = q @ k.T / scale
    dscores /= scale
    dq = dscores @ k
    dk = dscores.T @ q
    # q, k, v = X @ Wq, X @ Wk, X @ Wv
    dX = dq @ Wq.T + dk @ Wk.T + dv @ Wv.T
    return val, dX, X.T @ dq, X.T @ dk, X.T @ dv


def burgers_residual_grad(u, nu, dx, dt, seed=1.0):
    """Value of burgers_residual and its gradients with respect to u, nu."""
    now = u[:-1, 1:-1]
    ut = (u[1:, 1:-1] - now) / dt
    ux = (u[:-1, 2:] - u[:-1, :-2]) / (2 * dx)
    uxx = (u[:-1, 2:] - 2 * now + u[:-1, :-2]) / dx**2
    r = ut + now * ux - nu * uxx
    val = np.mean(r**2)

    # reverse
    dr = (2 * seed / r.size) * r
    dnu = -np.vdot(dr, uxx)
    dut = dr / dt
    dux = dr * now / (2 * dx)
    duxx = (-nu / dx**2) * dr
    du = np.zeros_like(u)
    du[1:, 1:-1] = dut
    du[:-1, 2:] += duxx + dux
    du[:-1, :-2] += duxx - dux
    du[:-1, 1:-1] += dr * ux - dut - 2 * duxx
    return val, du, float(dnu)


def portfolio_loss_grad(scores, mu, cov, prev, gamma, cost, seed=1.0):
    """Value of portfolio_loss and its gradient with respect to scores."""
    e = np.exp(scores - np.max(scores))
    w = e / np.sum(e)
    ret = mu @ w
    t1 = w @ cov
    risk = np.sqrt(t1 @ w)
    t2 = w - prev
    t3 = np.sqrt(t2**2 + 1e-6)
    turnover = np.sum(t3)
    val = gamma * risk + cost * turnover - ret

    # reverse
    dw = (0.5 * seed * gamma / risk) * (t1 + cov @ w)
    dw += (seed * cost) * t2 / t3
    dw -= seed * mu
    dscores = w * (dw - dw @ w)
    return val, dscores


def denoise_energy_grad(u, noisy, lam, eps, seed=1.0):
    """Value of denoise_energy and its gradient with respect to u."""
    gx = u[1:, :-1] - u[:-1, :-1]
    gy = u[:-1, 1:] - u[:-1, :-1]
    t1 = np.sqrt(gx**2 + gy**2 + eps**2)
    tv = np.sum(t1)
    t2 = u - noisy
    val = 0.5 * np.sum(t2**2) + lam * tv

    # reverse
    t3 = (seed * lam) / t1
    dgx = t3 * gx
    dgy = t3 * gy
    du = seed * t2
    du[1:, :-1] += dgx
    du[:-1, 1:] += dgy
    du[:-1, :-1] -= dgx + dgy
    return val, du


def spline_misfit_grad(c, knots, x, y, lam, seed=1.0):
    """Value of spline_misfit and its gradients with respect to c, knots."""
    t1 = np.maximum(x[:, None] - knots, 0.0)
    B = t1**3
    fit = c[0] + c[1] * x + c[2] * x**2 + B @ c[3:]
    t2 = y - fit
    rough = np.diff(c[3:], 2)
    val = np.mean(t2**2) + lam * np.sum(rough**2)

    # reverse
    dfit = (-2 * seed / t2.size) * t2
    dknots = -3 * c[3:] * (dfit @ t1**2)
    dc = np.concatenate(([dfit.sum(), dfit @ x, dfit @ x**2], dfit @ B))
    drough = (2 * seed * lam) * rough
    dc[3:-2] += drough
    dc[4:-1] -= 2 * drough
    dc[5:] += drough
    return val, dc, dknots


def weibull_nll_grad(beta, log_k, X, t, event, seed=1.0):
    """Value of weibull_nll and its gradients with respect to beta, log_k."""
    k = np.exp(log_k)
    scale = np.exp(X @ beta)
    u = t / scale
    log_u = np.log(u)
    log_hazard = log_k - np.log(scale) + (k - 1) * log_u
    h = u**k
    val = -np.sum(np.where(event, log_hazard, 0.0) - h)

    # reverse: log(u) = log(t) - X @ beta
    dlog_hazard = np.where(event, -seed, 0.0)
    t1 = dlog_hazard + seed * h
    dbeta = -k * (X.T @ t1)
    dlog_k = dlog_hazard.sum() + k * (t1 @ log_u)
    return val, dbeta, float(dlog_k)


def steering_cost_grad(U, x, A, B, Q, R, seed=1.0):
    """Value of steering_cost and its gradients with respect to U, A, B."""
    cost = 0.0
    saved = []
    for u in U:
        cost = cost + x @ Q @ x + u @ R @ u
        t1 = np.tanh(A @ x)
        saved.append((x, t1))
        x = t1 + B @ u
    val = cost + 10.0 * (x @ Q @ x)

    # reverse
    dx = (10.0 * seed) * (Q @ x + x @ Q)
    dU, dA, dB = np.zeros_like(U), np.zeros_like(A), np.zeros_like(B)
    for i in range(len(U) - 1, -1, -1):
        u, (x, t1) = U[i], saved[i]
        # x = np.tanh(A @ x) + B @ u
        dU[i] = dx @ B
        dB += np.outer(dx, u)
        dt1 = dx * (1 - t1 * t1)
        dA += np.outer(dt1, x)
        dx = dt1 @ A
        # cost = cost + x @ Q @ x + u @ R @ u
        dx += seed * (Q @ x + x @ Q)
        dU[i] += seed * (R @ u + u @ R)
    return val, dU, dA, dB


def gaussian_nll_grad(mu, Sigma, X, seed=1.0):
    """Value of gaussian_nll and its gradients with respect to mu, Sigma."""
    d = X - mu
    _, logdet = np.linalg.slogdet(Sigma)
    t1 = np.linalg.solve(Sigma, d.T).T
    maha = np.sum(d * t1)
    val = 0.5 * (maha + len(X) * logdet)

    # reverse
    Sinv = np.linalg.inv(Sigma)
    t2 = d @ Sinv
    dd = (0.5 * seed) * (t1 + t2)
    dSigma = (0.5 * seed) * (len(X) * Sinv.T - t2.T @ t1)
    dmu = -dd.sum(axis=0)
    return val, dmu, dSigma


def cox_nll_grad(beta, X, event, seed=1.0):
    """Value of cox_nll and its gradient with respect to beta."""
    eta = X @ beta
    t1 = np.exp(eta)
    risk = np.cumsum(t1[::-1])[::-1]
    val = -np.sum(event * (eta - np.log(risk)))

    # reverse
    dlog = seed * event
    deta = t1 * np.cumsum(dlog / risk) - dlog
    dbeta = X.T @ deta
    return val, dbeta


def huber_misfit_grad(theta, x, y, delta, seed=1.0):
    """Value of huber_misfit and its gradient with respect to theta."""
    a, b, c = theta
    t1 = np.exp(-b * x)
    r = y - (a * t1 + c)
    size = np.abs(r)
    small = size <= delta
    loss = np.where(small, 0.5 * r**2, delta * (size - 0.5 * delta))
    val = np.sum(loss)

    # reverse
    dr = seed * np.where(small, r, delta * np.sign(r))
    da = -(dr @ t1)
    db = a * ((dr * t1) @ x)
    dc = -dr.sum()
    return val, np.array([da, db, dc])


def classifier_loss_grad(model, x, labels, seed=1.0):
    """Value of classifier_loss and its gradient with respect to model."""
    W2 = model.out.W
    t1 = model.hidden(x)
    h = np.maximum(t1, 0)
    logits = model.out(h)
    shifted = logits - logits.max(axis=1, keepdims=True)
    e = np.exp(shifted)
    t2 = e.sum(axis=1, keepdims=True)
    logp = shifted - np.log(t2)
    rows = np.arange(len(labels))
    val = -np.mean(logp[rows, labels])

    # reverse
    dlogits = (seed / len(labels) / t2) * e
    dlogits[rows, labels] -= seed / len(labels)
    dh = dlogits @ W2.T
    dt1 = dh * (t1 > 0)
    dmodel = {
        ("hidden", "W"): x.T @ dt1,
        ("hidden", "b"): dt1.sum(axis=0),
        ("out", "W"): h.T @ dlogits,
        ("out", "b"): dlogits.sum(axis=0),
    }
    return val, dmodel


def reactor_loss_grad(T, flow, volume, k0, Ea, price, seed=1.0):
    """Value of reactor_loss and its gradients with respect to all but price."""
    t1 = np.exp(-Ea / (R * T))
    k = k0 * t1
    tau = volume / flow
    t2 = 1 + k * tau
    conversion = k * tau / t2
    heat = 0.02 * (T - 300.0) ** 2
    if conversion > 0.95:  # noqa: SIM108  as people write it
        penalty = 50.0 * (conversion - 0.95) ** 2
    else:
        penalty = 0.0
    val = heat + penalty - price * flow * conversion

    # reverse
    dconversion = -seed * price * flow
    dflow = -seed * price * conversion
    if conversion > 0.95:
        dconversion += 100.0 * seed * (conversion - 0.95)
    dT = 0.04 * seed * (T - 300.0)
    # conversion = k * tau / (1 + k * tau)
    dt2 = dconversion / t2**2
    dk = dt2 * tau
    dtau = dt2 * k
    # tau = volume / flow
    dvolume = dtau / flow
    dflow -= dtau * tau / flow
    # k = k0 * np.exp(-Ea / (R * T))
    dk0 = dk * t1
    dEa = -dk * k / (R * T)
    dT -= dEa * Ea / T
    return val, float(dT), float(dflow), float(dvolume), float(dk0), float(dEa)


def lennard_jones_grad(X, eps, sigma, seed=1.0):
    """Value of lennard_jones and its gradients with respect to X, eps, sigma."""
    i, j = np.triu_indices(len(X), 1)
    d = X[i] - X[j]
    r2 = np.sum(d**2, axis=1)
    s6 = (sigma**2 / r2) ** 3
    t1 = np.sum(s6**2 - s6)
    val = 4 * eps * t1

    # reverse
    deps = 4 * seed * t1
    ds6 = (4 * seed * eps) * (2 * s6 - 1)
    # s6 = (sigma**2 / r2) ** 3
    t2 = 3 * ds6 * s6
    dsigma = 2 * t2.sum() / sigma
    # r2 = np.sum(d**2, axis=1)
    dd = (-2 * t2 / r2)[:, None] * d
    # d = X[i] - X[j]
    dX = np.zeros_like(X)
    np.add.at(dX, i, dd)
    np.subtract.at(dX, j, dd)
    return val, dX, float(deps), float(dsigma)


def hmm_nll_grad(logits, start, emission, symbols, seed=1.0):
    """Value of hmm_nll and its gradients with respect to all but symbols."""
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    A = e / e.sum(axis=1, keepdims=True)
    alpha = start * emission[:, symbols[0]]
    ll = 0.0
    saved = []
    for s in symbols[1:]:
        total = alpha.sum()
        ll = ll + np.log(total)
        t1 = alpha / total
        t2 = t1 @ A
        saved.append((s, total, t1, t2))
        alpha = t2 * emission[:, s]
    t3 = alpha.sum()
    val = -(ll + np.log(t3))

    # reverse
    dA = np.zeros_like(A)
    demission = np.zeros_like(emission)
    dalpha = np.full_like(alpha, -seed / t3)
    for s, total, t1, t2 in saved[::-1]:
        # alpha = (alpha / total) @ A * emission[:, s]
        demission[:, s] += dalpha * t2
        dt2 = dalpha * emission[:, s]
        dA += np.outer(t1, dt2)
        dt1 = A @ dt2
        # total = alpha.sum(), ll = ll + np.log(total)
        dalpha = (dt1 - dt1 @ t1 - seed) / total
    # alpha = start * emission[:, symbols[0]]
    dstart = dalpha * emission[:, symbols[0]]
    demission[:, symbols[0]] += dalpha * start
    # A = e / e.sum(axis=1, keepdims=True), e = np.exp(logits - ...)
    dlogits = A * (dA - (dA * A).sum(axis=1, keepdims=True))
    return val, dlogits, dstart, demission


def erlang_cost_grad(lam, mu, c, wage, patience, seed=1.0):
    """Value of erlang_cost and its gradients with respect to all but c."""
    rho = lam / mu
    b = 1.0
    saved = []
    for k in range(1, c + 1):
        saved.append((k, b))
        b = rho * b / (k + rho * b)
    t1 = 1 - rho / c * (1 - b)
    busy = b / t1
    queue = busy * rho / (c - rho)
    val = wage * c + patience * queue

    # reverse
    dwage = seed * c
    dpatience = seed * queue
    dqueue = seed * patience
    # queue = busy * rho / (c - rho)
    dbusy = dqueue * rho / (c - rho)
    drho = dqueue * busy * c / (c - rho) ** 2
    # busy = b / (1 - rho / c * (1 - b))
    db = dbusy / t1
    dt1 = -db * busy
    db += dt1 * rho / c
    drho -= dt1 * (1 - b) / c
    for k, b in saved[::-1]:
        # b = rho * b / (k + rho * b)
        t2 = db * k / (k + rho * b) ** 2
        drho += t2 * b
        db = t2 * rho
    # rho = lam / mu
    dlam = drho / mu
    dmu = -drho * rho / mu
    return val, dlam, dmu, dwage, dpatience
