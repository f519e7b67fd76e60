"""Gradients written by hand of the kernels whose time is in small steps.

Each returns the value and the gradients in the order of the kernel's `wrt`. They save
in arrays that are made once, multiply once after a loop what the loop would add up, and
read again what an array still holds.
"""

import math

import numpy as np


def sparse_rows(starts, columns, values, x):
    n = len(starts) - 1
    y = np.empty(n)
    for i in range(n):
        here = slice(starts[i], starts[i + 1])
        y[i] = values[here] @ x[columns[here]]
    val = np.sum(y * y)

    each = np.repeat(2 * y, starts[1:] - starts[:-1])
    dx = np.bincount(columns, each * values, len(x))
    return val, each * x[columns], dx


def implicit_lines(u, a, steps):
    u = u.copy()
    n = u.shape[0]
    p = np.zeros((steps, *u.shape))
    q = np.zeros((steps, *u.shape))
    below = np.ones((steps, *u.shape))
    us = np.zeros((steps, *u.shape))
    for k in range(steps):
        q[k, 0] = u[0]
        for j in range(1, n - 1):
            below[k, j] = a * p[k, j - 1] + 1.0 + 2.0 * a
            p[k, j] = -a / below[k, j]
            q[k, j] = (u[j] + a * q[k, j - 1]) / below[k, j]
        for j in range(n - 2, 0, -1):
            u[j] = q[k, j] - p[k, j] * u[j + 1]
        us[k] = u
    val = np.sum(u * u)

    du = 2 * u
    da = 0.0
    for k in range(steps - 1, -1, -1):
        dq = np.zeros_like(u)
        dp = np.zeros_like(u)
        for j in range(1, n - 1):
            d = du[j]
            du[j + 1] -= d * p[k, j]
            dp[j] = -d * us[k, j + 1]
            dq[j] = d
            du[j] = 0.0
        for j in range(n - 2, 0, -1):
            d = dq[j] / below[k, j]
            dq[j - 1] += a * d
            du[j] += d
            e = dp[j] / below[k, j]
            dbelow = -(d * q[k, j] + e * p[k, j])
            dp[j - 1] += a * dbelow
            da += d @ q[k, j - 1] - e.sum() + dbelow @ p[k, j - 1] + 2 * dbelow.sum()
        du[0] += dq[0]
    return val, du, da


def sweep(A, steps):
    A = A.copy()
    n, m = A.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                A[i, j] = 0.2 * (
                    A[i, j] + A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1]
                )
    val = np.sum(A * A)

    d = 2 * A
    for _ in range(steps):
        for i in range(n - 2, 0, -1):
            for j in range(m - 2, 0, -1):
                e = 0.2 * d[i, j]
                d[i, j] = e
                d[i - 1, j] += e
                d[i + 1, j] += e
                d[i, j - 1] += e
                d[i, j + 1] += e
    return val, d


def soft_alignment(x, y, gamma):
    n, m = len(x), len(y)
    D = np.full((n + 1, m + 1), 1e6)
    D[0, 0] = 0.0
    shares = np.empty((n + 1, m + 1, 3))
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            a, b, c = D[i - 1, j], D[i, j - 1], D[i - 1, j - 1]
            least = min(a, b, c)
            ea = math.exp((least - a) / gamma)
            eb = math.exp((least - b) / gamma)
            ec = math.exp((least - c) / gamma)
            total = ea + eb + ec
            shares[i, j] = ea / total, eb / total, ec / total
            D[i, j] = (x[i - 1] - y[j - 1]) ** 2 + least - gamma * math.log(total)
    val = D[n, m]

    E = np.zeros((n + 1, m + 1))
    E[n, m] = 1.0
    for i in range(n, 0, -1):
        for j in range(m, 0, -1):
            e = E[i, j]
            pa, pb, pc = shares[i, j]
            E[i - 1, j] += e * pa
            E[i, j - 1] += e * pb
            E[i - 1, j - 1] += e * pc
    slope = 2 * E[1:, 1:] * (x[:, None] - y)
    return val, slope.sum(axis=1), -slope.sum(axis=0)


def hidden_states(start, move, seen):
    steps, n = seen.shape
    alphas = np.empty((steps, n))
    shares = np.empty((steps, n, n))
    alpha = alphas[0] = start + seen[0]
    for t in range(1, steps):
        scores = alpha[:, None] + move
        top = scores.max(axis=0)
        e = np.exp(scores - top)
        total = e.sum(axis=0)
        shares[t] = e / total
        alpha = alphas[t] = top + np.log(total) + seen[t]
    top = alpha.max()
    e = np.exp(alpha - top)
    val = top + np.log(e.sum())

    dseen = np.empty((steps, n))
    d = dseen[-1] = e / e.sum()
    for t in range(steps - 1, 0, -1):
        shares[t] *= d
        d = dseen[t - 1] = shares[t].sum(axis=1)
    return val, d, shares[1:].sum(axis=0), dseen


def cheapest_path(cost):
    n, m = cost.shape
    best = np.empty((n, m))
    best[0] = cost[0]
    which = np.empty((n, m), dtype=int)
    padded = np.full((3, m), np.inf)
    for i in range(1, n):
        padded[0, 1:] = best[i - 1, :-1]
        padded[1] = best[i - 1]
        padded[2, :-1] = best[i - 1, 1:]
        which[i] = np.argmin(padded, axis=0) - 1
        best[i] = cost[i] + np.min(padded, axis=0)
    j = np.argmin(best[-1])
    val = best[-1, j]

    dcost = np.zeros_like(cost)
    for i in range(n - 1, 0, -1):
        dcost[i, j] = 1.0
        j += which[i, j]
    dcost[0, j] = 1.0
    return val, dcost


def spectrogram(x, window, hop):
    n = len(window)
    count = (len(x) - n) // hop + 1
    frames = np.empty((count, n // 2 + 1), dtype=complex)
    for i in range(count):
        frames[i] = np.fft.rfft(x[i * hop : i * hop + n] * window)
    power = frames.real**2 + frames.imag**2
    val = np.sum(np.log1p(power))

    d = 2 / (1 + power) * frames
    d[:, 1 : (n + 1) // 2] /= 2
    d = np.fft.irfft(d, n, norm="forward")
    dx = np.zeros_like(x)
    dwindow = np.zeros_like(window)
    for i in range(count):
        dx[i * hop : i * hop + n] += d[i] * window
        dwindow += d[i] * x[i * hop : i * hop + n]
    return val, dx, dwindow


def convolution(x, w):
    n, height, width, _ = x.shape
    k = w.shape[0]
    out = np.empty((n, height - k + 1, width - k + 1, w.shape[3]))
    for i in range(height - k + 1):
        for j in range(width - k + 1):
            out[:, i, j, :] = np.sum(
                x[:, i : i + k, j : j + k, :, np.newaxis] * w[np.newaxis],
                axis=(1, 2, 3),
            )
    val = np.sum(out * out)

    d = 2 * out
    dx = np.zeros_like(x)
    dw = np.zeros_like(w)
    for i in range(k):
        for j in range(k):
            rows, columns = slice(i, i + height - k + 1), slice(j, j + width - k + 1)
            dw[i, j] = np.tensordot(x[:, rows, columns], d, ((0, 1, 2), (0, 1, 2)))
            dx[:, rows, columns] += d @ w[i, j].T
    return val, dx, dw


def largest_of_windows(x):
    n, height, width, c = x.shape
    out = np.empty((n, height // 2, width // 2, c))
    for i in range(height // 2):
        for j in range(width // 2):
            out[:, i, j, :] = np.max(
                x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2)
            )
    val = np.sum(out * out)

    whole = x[:, : height // 2 * 2, : width // 2 * 2]
    windows = whole.reshape(n, height // 2, 2, width // 2, 2, c)
    hit = windows == out[:, :, None, :, None]
    d = np.where(hit, (2 * out / hit.sum(axis=(2, 4)))[:, :, None, :, None], 0.0)
    dx = np.zeros_like(x)
    dx[:, : height // 2 * 2, : width // 2 * 2] = d.reshape(whole.shape)
    return val, dx


def means_of_windows(x, k):
    height, width = x.shape[0] // k, x.shape[1] // k
    out = np.empty((height, width))
    for i in range(height):
        for j in range(width):
            out[i, j] = np.mean(x[k * i : k * i + k, k * j : k * j + k])
    val = np.sum(out * out * out)

    dx = np.zeros_like(x)
    d = 3 * out * out / (k * k)
    dx[: height * k, : width * k] = np.repeat(np.repeat(d, k, axis=0), k, axis=1)
    return val, dx


def gated(x, h, Wz, Uz, Wr, Ur, Wn, Un):
    steps, batch, n = len(x), *h.shape
    hs = np.empty((steps + 1, batch, n))
    zs, rs, ns = np.empty((3, steps, batch, n))
    hs[0] = h
    total = 0.0
    for t in range(steps):
        z = zs[t] = 1.0 / (1.0 + np.exp(-(x[t] @ Wz + h @ Uz)))
        r = rs[t] = 1.0 / (1.0 + np.exp(-(x[t] @ Wr + h @ Ur)))
        m = ns[t] = np.tanh(x[t] @ Wn + (r * h) @ Un)
        h = hs[t + 1] = (1.0 - z) * m + z * h
        total += np.sum(h * h)

    dzs, drs, dns = np.empty((3, steps, batch, n))
    dh = np.zeros((batch, n))
    for t in range(steps - 1, -1, -1):
        dh += 2 * hs[t + 1]
        z, r, m, h = zs[t], rs[t], ns[t], hs[t]
        dzs[t] = dh * (h - m) * z * (1 - z)
        dns[t] = dh * (1 - z) * (1 - m * m)
        back = dns[t] @ Un.T
        drs[t] = back * h * r * (1 - r)
        dh = dh * z + back * r + dzs[t] @ Uz.T + drs[t] @ Ur.T
    dx = dzs @ Wz.T + drs @ Wr.T + dns @ Wn.T
    flat_x, flat_h = x.reshape(-1, x.shape[2]), hs[:-1].reshape(-1, n)
    dz, dr, dn = dzs.reshape(-1, n), drs.reshape(-1, n), dns.reshape(-1, n)
    return (
        total,
        dx,
        dh,
        flat_x.T @ dz,
        flat_h.T @ dz,
        flat_x.T @ dr,
        flat_h.T @ dr,
        flat_x.T @ dn,
        (rs.reshape(-1, n) * flat_h).T @ dn,
    )


def two_way_filter(x, a, b):
    n = x.shape[1]
    y = np.zeros_like(x)
    y[:, 0] = a * x[:, 0]
    for j in range(1, n):
        y[:, j] = a * x[:, j] + b * y[:, j - 1]
    z = np.zeros_like(x)
    z[:, -1] = a * y[:, -1]
    for j in range(n - 2, -1, -1):
        z[:, j] = a * y[:, j] + b * z[:, j + 1]
    val = np.sum(z * z)

    dz = 2 * z
    for j in range(n - 1):
        dz[:, j + 1] += b * dz[:, j]
    dy = a * dz
    for j in range(n - 1, 0, -1):
        dy[:, j - 1] += b * dy[:, j]
    da = np.vdot(dz, y) + np.vdot(dy, x)
    db = np.vdot(dz[:, :-1], z[:, 1:]) + np.vdot(dy[:, 1:], y[:, :-1])
    return val, a * dy, da, db


def levinson(r):
    n = len(r)
    ys = np.zeros((n, n))
    alphas, betas = np.empty(n), np.empty(n)
    y = np.empty_like(r)
    alpha, beta = -r[0], 1.0
    y[0], alphas[0], betas[0] = alpha, alpha, beta
    for k in range(1, n):
        ys[k, :k] = y[:k]
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + r[:k][::-1] @ y[:k]) / beta
        y[:k] += alpha * y[:k][::-1]
        y[k], alphas[k], betas[k] = alpha, alpha, beta
    val = np.sum(y * y)

    dy = 2 * y
    dr = np.zeros_like(r)
    dalpha = dbeta = 0.0
    for k in range(n - 1, 0, -1):
        old, back = ys[k, :k], dy[:k]
        dalpha += dy[k] + back @ old[::-1]
        e = dalpha / betas[k]
        dbeta -= e * alphas[k]
        dy[:k] = back + alphas[k] * back[::-1] - e * r[:k][::-1]
        dr[:k] -= e * old[::-1]
        dr[k] -= e
        dalpha = -2 * dbeta * betas[k - 1] * alphas[k - 1]
        dbeta *= 1.0 - alphas[k - 1] ** 2
    dr[0] -= dy[0] + dalpha
    return val, dr


def kalman(measured, F, q, r):
    steps = len(measured)
    x, P = np.zeros(2), np.eye(2)
    xs, Ps = np.empty((steps, 2)), np.empty((steps, 2, 2))
    moved, FPs, spread = np.empty((steps, 2)), np.empty((2, steps, 2, 2)), q * np.eye(2)
    loss = 0.0
    for t in range(steps):
        xs[t], Ps[t] = x, P
        x = moved[t] = F @ x
        FPs[0, t] = F @ P
        P = FPs[1, t] = FPs[0, t] @ F.T + spread
        s = P[0, 0] + r
        e = measured[t] - x[0]
        K = P[:, 0] / s
        x = x + K * e
        P = P - np.outer(K, P[0])
        loss += np.log(s) + e * e / s

    dx, back = np.zeros(2), np.zeros((2, 2))
    dxs, dPs = np.empty((steps, 2)), np.empty((steps, 2, 2))
    dr = 0.0
    for t in range(steps - 1, -1, -1):
        P = FPs[1, t]
        s = P[0, 0] + r
        e = measured[t] - moved[t, 0]
        K = P[:, 0] / s
        dK = e * dx - back @ P[0]
        de = 2 * e / s + dx @ K
        ds = (1 - e * e / s - dK @ K) / s
        dP = dPs[t]
        dP[:] = back
        dP[0] -= K @ back
        dP[:, 0] += dK / s
        dP[0, 0] += ds
        dr += ds
        dxs[t] = dx
        dxs[t, 0] -= de
        back = F.T @ dP @ F
        dx = F.T @ dxs[t]
    dF = dxs.T @ xs
    dF += np.einsum("tji,tjk->ik", dPs, FPs[0]) + np.einsum(
        "tij,jk,tlk->il", dPs, F, Ps
    )
    return loss, dF, dPs[:, 0, 0].sum() + dPs[:, 1, 1].sum(), dr


def swinging(state, length, damping, dt, steps):
    def rate(s):
        return np.array([s[1], -damping * s[1] - 9.81 / length * np.sin(s[0])])

    points = np.empty((steps, 4, 2))
    loss = 0.0
    firsts = np.empty(steps)
    for t in range(steps):
        points[t, 0] = state
        k1 = rate(state)
        points[t, 1] = state + 0.5 * dt * k1
        k2 = rate(points[t, 1])
        points[t, 2] = state + 0.5 * dt * k2
        k3 = rate(points[t, 2])
        points[t, 3] = state + dt * k3
        k4 = rate(points[t, 3])
        state = state + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        loss += state[0] ** 2
        firsts[t] = state[0]

    weight = 9.81 / length
    slopes = -weight * np.cos(points[:, :, 0])
    d0 = d1 = 0.0
    pulls = np.empty((steps, 4))
    steps_back = (dt, 0.5 * dt, 0.5 * dt)
    for t in range(steps - 1, -1, -1):
        d0 += 2 * firsts[t]
        share0, share1 = dt / 6 * d0, dt / 6 * d1
        e0, e1 = share0, share1
        for k in (3, 2, 1, 0):
            pulls[t, k] = e1
            b0, b1 = e1 * slopes[t, k], e0 - damping * e1
            d0 += b0
            d1 += b1
            if k:
                h, times = steps_back[3 - k], 2 if k > 1 else 1
                e0, e1 = times * share0 + h * b0, times * share1 + h * b1
    dlength = np.vdot(pulls, np.sin(points[:, :, 0])) * weight / length
    return loss, np.array([d0, d1]), dlength, -np.vdot(pulls, points[:, :, 1])


def reservoir(x, W, V, leak):
    steps, n = x.shape[0], W.shape[0]
    hs = np.zeros((steps + 1, n))
    ts = np.empty((steps, n))
    for t in range(steps):
        ts[t] = np.tanh(W @ hs[t] + V @ x[t])
        hs[t + 1] = (1.0 - leak) * hs[t] + leak * ts[t]
    val = np.mean(hs[1:] * hs[1:])

    dstates = (2 / (steps * n)) * hs[1:]
    slopes = leak * (1 - ts * ts)
    ds, dhs = np.empty((2, steps, n))
    dh = np.zeros(n)
    for t in range(steps - 1, -1, -1):
        dh += dstates[t]
        dhs[t] = dh
        ds[t] = slopes[t] * dh
        dh = ds[t] @ W + (1.0 - leak) * dh
    return val, ds.T @ hs[:-1], ds.T @ x, np.vdot(dhs, ts - hs[:-1])


def pair_energies(pos, epsilon, sigma):
    n = len(pos)
    energy = dsigma = depsilon = 0.0
    dpos = np.zeros_like(pos)
    for i in range(n - 1):
        d = pos[i + 1 :] - pos[i]
        r2 = np.sum(d * d, axis=1)
        s6 = (sigma * sigma / r2) ** 3
        pair = np.sum(4.0 * epsilon * (s6 * s6 - s6))
        energy += pair
        slope = 4.0 * epsilon * (2.0 * s6 - 1.0) * s6
        dsigma += slope.sum()
        e = (-6.0 * slope / r2)[:, None] * d
        dpos[i + 1 :] += e
        dpos[i] -= e.sum(axis=0)
        depsilon += pair
    return energy, dpos, depsilon / epsilon, 6.0 * dsigma / sigma


def three_bodies(pos, vel, mass, dt, steps):
    pos, vel = pos.copy(), vel.copy()
    places = np.empty((steps, 3, 2))
    for t in range(steps):
        places[t] = pos
        for i in range(3):
            force = np.zeros(2)
            for j in range(3):
                if i != j:
                    d = pos[j] - pos[i]
                    r2 = d @ d + 0.01
                    force += mass[j] * d / (r2 * np.sqrt(r2))
            vel[i] += dt * force
        pos += dt * vel
    val = np.sum(pos * pos)

    dpos = 2 * pos
    dvel = np.zeros_like(vel)
    dmass = np.zeros_like(mass)
    for t in range(steps - 1, -1, -1):
        dvel += dt * dpos
        for i in range(3):
            dforce = dt * dvel[i]
            for j in range(3):
                if i != j:
                    d = places[t, j] - places[t, i]
                    r2 = d @ d + 0.01
                    e = dforce / (r2 * np.sqrt(r2))
                    along = e @ d
                    dmass[j] += along
                    dd = mass[j] * (e - (3 * along / r2) * d)
                    dpos[j] += dd
                    dpos[i] -= dd
    return val, dpos, dvel, dmass
