/**
 * A small network of the test's own: one namespace for what all nodes share (the hub) and one for each
 * node. Each node has two links to the hub: users come over `front`, and the database, the object store
 * and NATS are behind `back`. So a node can lose one side and keep the other. The test itself reaches both,
 * with addresses of its own. Everything ends with the namespaces.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { endsWithFile } from '../children.ts'

const run = promisify(execFile)

/** Namespaces need root, and the programs of iproute2. */
export const networksArePossible = process.getuid?.() === 0 && existsSync('/usr/sbin/ip')

export const sides = ['front', 'back'] as const
export type Side = (typeof sides)[number]

export type Network = {
  /** Where the test itself is reached, on the side of the users. */
  readonly tester: string
  /** Of the hub, and of the nodes from 0 on. */
  address(side: Side, node?: number): string
  /** What to put before a program so that it runs in the hub. */
  readonly into_hub: readonly string[]
  /** Starts a program in the hub or in a node. */
  spawn(where: 'hub' | number, argv: readonly string[], options?: Start): ChildProcess
  /** Runs a program to its end and returns what it printed. */
  run(where: 'hub' | number, argv: readonly string[]): Promise<string>
  /** Of all programs that run in a node, also of those that another program there started. */
  processes(node: number): Promise<number[]>
  /** Packets of this link are lost without a word, in both directions. */
  cut(node: number, ...which: Side[]): Promise<void>
  heal(node: number, ...which: Side[]): Promise<void>
  close(): Promise<void>
}

export type Start = { readonly env?: Record<string, string>; readonly quiet?: boolean }

/** Of the networks for benchmarks (RFC 2544), which no real machine has. */
const first_octets = { front: '198.18', back: '198.19' } as const
const hub_host = 2
/** What a test has started ends with it, however it ends. */
const bound = ['setpriv', '--pdeathsig=KILL', '--']
const hostOf = (node: number) => 11 + node

const ip = (line: string) => run('ip', line.split(' '))

export async function openNetwork(nodes: number): Promise<Network> {
  const third = await claim()
  const name = (suffix: string) => `dn${third}${suffix}`
  const spaceOf = (where: 'hub' | number) => name(where === 'hub' ? 'hub' : `n${where}`)
  const address = (side: Side, host: number) => `${first_octets[side]}.${third}.${host}`
  const inHub = (line: string) => ip(`-n ${spaceOf('hub')} ${line}`)
  /** The hub's end of a link. */
  const portOf = (side: Side, end: number | 'test') => `${side}-${end}`

  const attach = async (side: Side, end: number | 'test', host: number) => {
    const [port, inner] = [portOf(side, end), name(`${side[0]}${end === 'test' ? 't' : end}`)]
    await inHub(`link add ${port} type veth peer name ${inner}`)
    await inHub(`link set ${port} master ${side} up`)
    if (end !== 'test') await inHub(`link set ${inner} netns ${spaceOf(end)}`)
    // To the namespace of this process.
    else await inHub(`link set ${inner} netns ${process.pid}`)
    const there = end === 'test' ? '' : `-n ${spaceOf(end)} `
    await ip(`${there}address add ${address(side, host)}/24 dev ${inner}`)
    await ip(`${there}link set ${inner} up`)
  }

  for (const side of sides) {
    await inHub(`link add ${side} type bridge`)
    await inHub(`address add ${address(side, hub_host)}/24 dev ${side}`)
    await inHub(`link set ${side} up`)
    await attach(side, 'test', 1)
  }
  await inHub('link set lo up')
  for (let node = 0; node < nodes; node++) {
    await ip(`netns add ${spaceOf(node)}`)
    await ip(`-n ${spaceOf(node)} link set lo up`)
    for (const side of sides) await attach(side, node, hostOf(node))
  }

  const within = (where: 'hub' | number, argv: readonly string[]) => [
    'netns',
    'exec',
    spaceOf(where),
    ...argv,
  ]
  const set =
    (state: 'up' | 'down') =>
    async (node: number, ...which: Side[]) => {
      for (const side of which) await inHub(`link set ${portOf(side, node)} ${state}`)
    }
  return {
    tester: address('front', 1),
    into_hub: ['ip', ...within('hub', bound)],
    address: (side, node) => address(side, node === undefined ? hub_host : hostOf(node)),
    // The program takes the place of `ip`, so signals reach it.
    spawn: (where, argv, { env, quiet = false } = {}) =>
      endsWithFile(
        spawn('ip', within(where, [...bound, ...argv]), {
          cwd: '/',
          ...(env ? { env } : {}),
          stdio: ['ignore', quiet ? 'ignore' : 'pipe', quiet ? 'ignore' : 'pipe'],
        }),
      ),
    run: async (where, argv) => (await run('ip', within(where, argv), { cwd: '/' })).stdout,
    processes: node => processesIn(spaceOf(node)),
    cut: set('down'),
    heal: set('up'),
    close: async () => {
      // A namespace stays as long as a socket in it has not ended, and the test's links with it.
      for (const side of sides) await ip(`link delete ${name(`${side[0]}t`)}`).catch(() => {})
      const all = ['hub' as const, ...Array.from({ length: nodes }, (_, node) => node)]
      for (const where of all) await remove(spaceOf(where))
    },
  }
}

async function remove(space: string): Promise<void> {
  // A program may have left one of its own behind.
  for (const pid of await processesIn(space).catch(() => [])) {
    await run('kill', ['-KILL', String(pid)]).catch(() => {})
  }
  await ip(`netns delete ${space}`).catch(() => {})
}

async function processesIn(space: string): Promise<number[]> {
  const { stdout } = await run('ip', ['netns', 'pids', space])
  return stdout.split('\n').filter(Boolean).map(Number)
}

/** Makes the namespace of a hub whose number no other test has. */
async function claim(): Promise<number> {
  for (;;) {
    const third = randomInt(256)
    const taken = await run('ip', ['netns', 'add', `dn${third}hub`]).then(
      () => false,
      (error: unknown) => {
        if (!String(error).includes('File exists')) throw error
        return true
      },
    )
    if (!taken) return third
  }
}
