/**
 * Hashes passwords with argon2id behind a bounded queue: as many hashes in parallel as there are
 * cores, and a short queue. When the queue is full, the request gets 503. So many concurrent logins
 * neither fill the memory nor delay everything else. A stored hash is sealed under the keyring and
 * can be opened only in its own row. The cost is measured once for each deployment.
 */
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { Counter } from 'prom-client'
import { Type, type Static } from 'typebox'
import { newSecret, sql, type SealedColumn } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { problem } from '../errors.ts'

export type Owner = {
  readonly table: 'identity.credentials' | 'identity.registrations'
  readonly id: string
}

export type PasswordHasher = {
  /** Measures and stores the cost at the first start. Every later start reads it. */
  prepare(): Promise<void>
  hash(password: string): Promise<string>
  /** If the hash is null, does the same work and returns false. */
  verify(password: string, encoded: string | null): Promise<boolean>
  /** Whether the hash should be replaced with a stronger one at the next login. */
  isWeak(encoded: string): boolean
  seal(encoded: string, owner: Owner): Buffer
  open(sealed: Buffer, owner: Owner): string
}

const Cost = Type.Object({ m: Type.Integer(), t: Type.Integer(), p: Type.Integer() })
type Cost = Static<typeof Cost>
const Setting = Type.Object({ value: Cost })

const floor: Cost = { m: 19_456, t: 2, p: 1 }
const passes_max = 6
const use = 'identity.passwords'
const column = 'password_hash'

export function openPasswordHasher(
  kernel: Pick<Kernel, 'db' | 'keys' | 'settings' | 'metrics'>,
): PasswordHasher {
  const { keys, settings, metrics } = kernel
  const queue = openQueue(
    availableParallelism(),
    settings['identity.hash_queue'],
    settings['identity.hash_wait_ms'],
  )
  const counted = new Counter({
    name: 'auth_hashes_total',
    help: 'Password hashes computed',
    registers: [metrics.registry],
  })
  let cost = floor
  let decoy: string | undefined
  const compute = (password: string) => {
    counted.inc()
    return hash(password.normalize('NFC'), options(cost))
  }
  return {
    prepare: async () => {
      cost = await chosenCost(kernel)
      decoy = await hash(newSecret(), options(cost))
    },
    hash: password => queue(() => compute(password)),
    verify: (password, encoded) =>
      queue(async () => {
        const against = encoded ?? decoy ?? (decoy = await hash(newSecret(), options(cost)))
        counted.inc()
        const fits = await verify(against, password.normalize('NFC'))
        return fits && encoded !== null
      }),
    isWeak: encoded => {
      const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(encoded)
      return !match || Number(match[1]) < cost.m || Number(match[2]) < cost.t
    },
    seal: (encoded, { table, id }) => keys.seal(use, Buffer.from(encoded), { table, id, column }),
    open: (sealed, { table, id }) => keys.open(use, sealed, { table, id, column }).toString(),
  }
}

function options({ m, t, p }: Cost) {
  return { memoryCost: m, timeCost: t, parallelism: p }
}

/** The deployment's cost: the first start measures it, and all others use the stored value. */
async function chosenCost({ db, settings }: Pick<Kernel, 'db' | 'settings'>): Promise<Cost> {
  const read = sql`select value from identity.settings where name = 'password_cost'`
  const known = await db.maybe(Setting, read)
  if (known) return known.value
  const measured = await measuredCost(settings['identity.hash_max_ms'])
  await db.run(sql`
    insert into identity.settings (name, value) values ('password_cost', ${sql.json(measured)})
    on conflict (name) do nothing`)
  return (await db.one(Setting, read)).value
}

async function measuredCost(limit_ms: number): Promise<Cost> {
  let cost = floor
  await hash('warm up', options(cost))
  for (let t = floor.t; t <= passes_max; t++) {
    const started = performance.now()
    await hash('measured', options({ ...floor, t }))
    if (performance.now() - started > limit_ms) break
    cost = { ...floor, t }
  }
  return cost
}

function openQueue(width: number, length_max: number, wait_ms: number) {
  let running = 0
  const waiting: { go(): void }[] = []
  const next = () => {
    if (running < width) waiting.shift()?.go()
  }
  const admitted = () =>
    new Promise<void>((resolve, reject) => {
      const ticket = {
        go: () => {
          clearTimeout(timer)
          running++
          resolve()
        },
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(ticket), 1)
        reject(problem('overloaded', { retry_after: Math.ceil(wait_ms / 1000) }))
      }, wait_ms)
      waiting.push(ticket)
      next()
    })
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting.length >= length_max) throw problem('overloaded', { retry_after: 1 })
    await admitted()
    try {
      return await work()
    } finally {
      running--
      next()
    }
  }
}

/**
 * The columns with sealed passwords. Registrations are included only while they may still become an
 * account.
 */
export const sealedPasswords: readonly SealedColumn[] = [
  {
    table: 'identity.credentials',
    key: ['account_id'],
    column,
    use,
    place: ({ account_id }) => ({ table: 'identity.credentials', id: String(account_id), column }),
  },
  {
    table: 'identity.registrations',
    key: ['id'],
    column,
    use,
    where: sql`t.state = 'pending'`,
    place: ({ id }) => ({ table: 'identity.registrations', id: String(id), column }),
  },
]
