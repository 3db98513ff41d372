/**
 * The variables that each file of deploy/ gives to a process of the platform, with the values that it
 * ships with: what systemd, a compose tool and Kubernetes make of them.
 */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'
import { runHere } from '../../src/cli/test/in-process.ts'

export const newKeys = async () =>
  parseEnv((await runHere(['keys', 'init'], {})).out) as Environment

export type Environment = Readonly<Record<string, string>>

export const root = resolve(import.meta.dirname, '../..')
const read = (file: string) => readFile(join(root, 'deploy', file), 'utf8')
const variablesOf = (text: string) => parseEnv(text) as Record<string, string>

/** `keys` are those that `dodeca keys init` adds. */
export type Deployment = {
  readonly file: string
  /** The variables of each process. */
  processes(keys: Environment): Promise<readonly Environment[]>
}

export const deployments: readonly Deployment[] = [
  { file: 'vm/dodeca.service', processes: unit },
  { file: 'vm/dodeca-backup.service', processes: unit },
  { file: 'compose/compose.yaml', processes: compose },
  { file: 'compose/compose.many.yaml', processes: compose },
  { file: 'kubernetes/overlays/external', processes: manifests },
].map(({ file, processes }) => ({ file, processes: keys => processes(file, keys) }))

async function unit(file: string, keys: Environment): Promise<Environment[]> {
  const text = await read(file)
  if (!/^EnvironmentFile=\/etc\/dodeca\.env$/m.test(text)) throw new Error('no environment file')
  const [, inline = ''] = /^Environment=(.*)$/m.exec(text) ?? []
  const own = inline.split(' ').join('\n')
  return [{ ...variablesOf(own), ...variablesOf(await read('vm/.env.example')), ...keys }]
}

async function compose(file: string, keys: Environment): Promise<Environment[]> {
  const given = { ...variablesOf(await read('compose/.env.example')), ...keys }
  type Service = { image?: string; environment?: Record<string, string> }
  const { services } = parse(await read(file), { merge: true }) as {
    services: Record<string, Service>
  }
  const image = await containerEnvironment()
  return Object.values(services)
    .filter(one => one.image === 'dodeca:full')
    .map(({ environment = {} }) => ({ ...image, ...filledIn(environment, given) }))
}

/** `${NAME:?why}` has to be given; other forms are not used. */
function filledIn(environment: Record<string, string>, given: Environment): Environment {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{([A-Z0-9_]+):\?[^}]*\}/g, (_, variable: string) => {
        const found = given[variable]
        if (!found) throw new Error(`.env.example has no ${variable}`)
        return found
      }),
    ]),
  )
}

export async function containerEnvironment(): Promise<Environment> {
  const [, given = ''] = /^ENV (.*)$/m.exec(await read('container/Containerfile')) ?? []
  return variablesOf(given.split(' ').join('\n'))
}

/** Those of the image, the base, the overlay and its secret, in this order, as in a pod. */
async function manifests(overlay: string, keys: Environment): Promise<Environment[]> {
  const objects = await documents('kubernetes/base/platform.yaml')
  const config = objects.find(({ kind }) => kind === 'ConfigMap')?.data
  const { configMapGenerator } = parse(await read(`${overlay}/kustomization.yaml`)) as {
    configMapGenerator: [{ literals: string[] }]
  }
  const given = {
    ...(await containerEnvironment()),
    ...config,
    ...variablesOf(configMapGenerator[0].literals.join('\n')),
    ...variablesOf(await read(`${overlay}/secret.env.example`)),
    ...keys,
  }
  return objects
    .flatMap(({ spec }) => spec?.template?.spec.containers ?? [])
    .map(({ env }) => ({
      ...given,
      ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
    }))
}

type Labels = Readonly<Record<string, string>>
type Container = {
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly envFrom: readonly [{ configMapRef: { name: string } }, { secretRef: { name: string } }]
  readonly volumeMounts: readonly { readonly name: string }[]
  readonly securityContext: unknown
}
type Pod = {
  readonly containers: readonly Container[]
  readonly volumes: readonly { readonly name: string }[]
  readonly securityContext: unknown
}
export type Manifest = {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Environment
  readonly spec?: {
    readonly selector?: Labels & { readonly matchLabels: Labels }
    readonly scaleTargetRef?: { readonly name: string }
    readonly egress?: unknown
    readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: Pod }
  }
}

export async function documents(file: string): Promise<Manifest[]> {
  return manifestsOf(await read(file))
}

export function manifestsOf(text: string): Manifest[] {
  return parseAllDocuments(text).map(one => one.toJS() as Manifest)
}
