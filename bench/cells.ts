/**
 * How many cells a number of users needs: a simulation, with the costs that the other comparisons
 * have measured. Tenants arrive with sizes of a heavy tail, are placed into cells, become hot, and
 * are moved; cells fail. It measures nothing itself and prints the same table for the same seed:
 * `node bench/cells.ts --seed=1`.
 */
import { parseArgs } from 'node:util'

/** What a cell of two cores did in a second (docs/benchmarks.md names each comparison). */
const measured = {
  /** GET by id, 16 connections. */
  reads: 19_418,
  /** Keyed POST, 32 connections, with its worker. */
  writes: 1_101,
  /** Login, 16 at once. */
  logins: 60,
}

/** What is assumed, because only your own traffic can say it. */
const assumed = {
  active_share: 0.25,
  /** Of an active user, on a day. */
  reads: 60,
  writes: 10,
  logins: 0.2,
  /** The busiest second beside the mean of the day. */
  peak: 3,
  /** A cell is filled to this share of what it can do at its peak, the rest is for hot tenants. */
  fill: 0.4,
  /** Above this share a tenant is moved away. */
  move_above: 0.7,
  /** Users of a tenant: Pareto with this exponent, between these bounds. */
  tail: 1.1,
  tenant_min: 100,
  tenant_max: 1_000_000,
  /** A tenant becomes hot once in so many days, and then has so many times its traffic. */
  hot_every_days: 200,
  hot_times: 10,
  /** A cell loses its database once in so many days, and fails over within so many seconds. */
  failure_every_days: 365,
  failover_seconds: 60,
  days: 30,
}

const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' } } })

/** Mulberry32: 32 bits of state, enough for a table. */
function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The share of a cell that one registered user takes at the peak. */
const share_of_user =
  ((assumed.reads / measured.reads +
    assumed.writes / measured.writes +
    assumed.logins / measured.logins) *
    assumed.active_share *
    assumed.peak) /
  86_400

const draws = 12

type Tenant = { readonly users: number; cell: number; hot: number }

function tenantsFor(users: number, next: () => number): Tenant[] {
  const { tail, tenant_min, tenant_max } = assumed
  const tenants: Tenant[] = []
  // Between the bounds, by the inverse of the distribution.
  const range = 1 - (tenant_min / tenant_max) ** tail
  for (let left = users; left > 0;) {
    const size = Math.round(tenant_min / (1 - next() * range) ** (1 / tail))
    const taken = Math.min(size, left)
    tenants.push({ users: taken, cell: 0, hot: 1 })
    left -= taken
  }
  return tenants
}

type Result = {
  readonly users: number
  readonly tenants: number
  readonly cells: number
  /** The fullest cell at the busiest second of all days, before and after tenants were moved. */
  readonly busiest: number
  readonly overloaded: number
  readonly moves: number
  readonly failures: number
  /** The share of all users that one failure stops, and of all their seconds that were lost. */
  readonly stopped: number
  readonly lost: number
}

function simulate(users: number, seed: number): Result {
  const next = random(seed)
  const tenants = tenantsFor(users, next)
  const load: number[] = []
  const people: number[] = []
  /** The emptiest of some cells drawn at random, or a new one if all of them are filled. */
  const place = (tenant: Tenant, full: number) => {
    const need = tenant.users * share_of_user * tenant.hot
    const drawn = Array.from({ length: draws }, () => Math.floor(next() * load.length))
    const best = drawn.reduce((one, other) => ((load[other] ?? 9) < (load[one] ?? 9) ? other : one))
    const fits = load.length > 0 && (load[best] ?? 0) + need <= full
    tenant.cell = fits ? best : load.push(0) - 1
    load[tenant.cell] = (load[tenant.cell] ?? 0) + need
    people[tenant.cell] = (people[tenant.cell] ?? 0) + tenant.users
  }
  for (const tenant of tenants) place(tenant, assumed.fill)
  let moves = 0
  let busiest = 0
  let overloaded = 0
  let failures = 0
  let lost = 0
  for (let day = 0; day < assumed.days; day++) {
    for (const tenant of tenants) {
      const hot = next() < 1 / assumed.hot_every_days ? assumed.hot_times : 1
      if (hot === tenant.hot) continue
      load[tenant.cell] =
        (load[tenant.cell] ?? 0) + tenant.users * share_of_user * (hot - tenant.hot)
      tenant.hot = hot
      busiest = Math.max(busiest, load[tenant.cell] ?? 0)
      if ((load[tenant.cell] ?? 0) > 1) overloaded++
      if (hot === 1 || (load[tenant.cell] ?? 0) <= assumed.move_above) continue
      load[tenant.cell] = (load[tenant.cell] ?? 0) - tenant.users * share_of_user * hot
      people[tenant.cell] = (people[tenant.cell] ?? 0) - tenant.users
      place(tenant, assumed.move_above)
      moves++
    }
    for (const cell of load.keys()) {
      if (next() >= 1 / assumed.failure_every_days) continue
      failures++
      lost += (people[cell] ?? 0) * assumed.failover_seconds
    }
  }
  return {
    users,
    tenants: tenants.length,
    cells: load.length,
    busiest,
    overloaded,
    moves,
    failures,
    stopped: Math.max(...people) / users,
    lost: lost / (users * assumed.days * 86_400),
  }
}

const headings = [
  'users',
  'tenants',
  'cells',
  'busiest cell',
  'times beyond 100 %',
  'moves a day',
  'failovers a day',
  'users of one cell',
  'time lost by failovers',
]

function rowOf(one: Result): string[] {
  const whole = (n: number) => n.toLocaleString('en-US')
  const percent = (n: number, digits = 1) => `${(n * 100).toFixed(digits)} %`
  return [
    whole(one.users),
    whole(one.tenants),
    whole(one.cells),
    percent(one.busiest, 0),
    whole(one.overloaded),
    (one.moves / assumed.days).toFixed(1),
    (one.failures / assumed.days).toFixed(2),
    percent(one.stopped, 2),
    percent(one.lost, 5),
  ]
}

const seed = Number(values.seed)
const rows = [1e6, 1e7, 1e8, 1e9].map(users => rowOf(simulate(users, seed)))
const per_cell = Math.floor(assumed.fill / share_of_user)
const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
const filled = `a cell of two cores filled to ${assumed.fill * 100} %`
const table = [line(headings), line(headings.map(() => '---:')), ...rows.map(line)].join('\n')
process.stdout.write(
  `seed ${seed}; ${filled}: ${per_cell.toLocaleString('en-US')} users\n\n${table}\n`,
)
