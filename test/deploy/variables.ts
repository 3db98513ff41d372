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
  { file: 'kubernetes/dodeca.yaml', processes: manifests },
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
    .filter(one => one.image === 'dodeca')
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

async function manifests(file: string, keys: Environment): Promise<Environment[]> {
  const objects = parseAllDocuments(await read(file)).map(one => one.toJS())
  const config = objects.find(({ kind }) => kind === 'ConfigMap').data as Environment
  const secret = { ...variablesOf(await read('kubernetes/secret.env.example')), ...keys }
  type Container = { env: { name: string; value: string }[] }
  return objects
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap(({ spec }) => spec.template.spec.containers as Container[])
    .map(({ env }) => ({
      ...config,
      ...secret,
      ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
    }))
}
