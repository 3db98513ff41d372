/**
 * The examples in deploy/ are accepted by the programs that read them, name only settings and metrics
 * that exist, and fit each other. `start.long.test.ts` starts the platform with their variables. No test
 * builds the image or runs the manifests on a cluster.
 */
import { execFile } from 'node:child_process'
import { cp, glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { describeSettings } from '../../src/runtime/config.ts'
import { openGathering } from '../../src/runtime/processes/gather-metrics.ts'
import { loadConfig, tables } from '../../src/settings.ts'
import { openProductWorld } from '../product-world.ts'
import { containerEnvironment, deployments, newKeys, root } from './variables.ts'

const run = promisify(execFile)
const deploy = join(root, 'deploy')
const read = (file: string) => readFile(join(deploy, file), 'utf8')
/** Where Debian puts them. */
const programs = {
  nginx: '/usr/sbin/nginx',
  caddy: '/usr/bin/caddy',
  promtool: '/usr/bin/promtool',
  systemd: '/usr/bin/systemd-analyze',
  haproxy: '/usr/sbin/haproxy',
}

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'dodeca-deploy-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

describe('proxies', () => {
  test.skipIf(!existsSync(programs.nginx))('nginx accepts its file', async () => {
    const key = join(scratch, 'key.pem')
    const certificate = join(scratch, 'certificate.pem')
    const pair = `-newkey rsa:2048 -nodes -keyout ${key} -out ${certificate}`
    await run('openssl', `req -x509 ${pair} -subj /CN=api.example.com -days 1`.split(' '))
    const server = (await read('nginx/dodeca.conf'))
      .replace('/etc/nginx/tls/dodeca.crt', certificate)
      .replace('/etc/nginx/tls/dodeca.key', key)
    const whole = `pid ${scratch}/nginx.pid; error_log stderr; events {}\nhttp { access_log off;\n${server}}\n`
    await writeFile(join(scratch, 'nginx.conf'), whole)
    const { stderr } = await run(programs.nginx, ['-t', '-c', join(scratch, 'nginx.conf')])
    expect(stderr).toContain('test is successful')
    expect(stderr).not.toContain('[warn]')
  })

  test.skipIf(!existsSync(programs.caddy))('Caddy accepts its file', async () => {
    const file = join(deploy, 'vm/Caddyfile')
    const env = { HOME: scratch, XDG_DATA_HOME: scratch, XDG_CONFIG_HOME: scratch }
    const options = ['validate', '--adapter', 'caddyfile', '--config', file]
    const { stdout, stderr } = await run(programs.caddy, options, { env })
    expect(stdout + stderr).toContain('Valid configuration')
  })
})

const units = [
  'vm/dodeca.service',
  'vm/dodeca-backup.service',
  'vm/dodeca-backup.timer',
  'database/host/dodeca-database-backup@.service',
  'database/host/dodeca-database-backup-full.timer',
  'database/host/dodeca-database-backup-diff.timer',
]
test.skipIf(!existsSync(programs.systemd))('systemd accepts the units', async () => {
  for (const name of units) {
    const unit = (await read(name)).replaceAll('/opt/dodeca', root)
    await writeFile(join(scratch, basename(name)), unit)
  }
  const files = units.map(name => join(scratch, basename(name)))
  const { stderr } = await run(programs.systemd, ['verify', ...files])
  expect(stderr.split('\n').filter(line => line.includes('dodeca'))).toEqual([])
})

describe('three hosts of the database', () => {
  const make = async (text: string) => {
    const [file, out] = [join(scratch, 'hosts.env'), join(scratch, 'hosts')]
    await writeFile(file, text)
    await run(join(deploy, 'database/make-hosts.sh'), [file, out])
    return out
  }

  test('their files name each of them, and a second run keeps keys and passwords', async () => {
    const example = await read('database/hosts.env.example')
    await expect(make(example)).rejects.toThrow('S3_KEY is empty')
    const filled = example.replaceAll(/^(S3_KEY\w*)=$/gm, '$1=x')
    const out = await make(filled)
    const files = ['db1/patroni.yml', 'db2/etcd.env', 'db3/tls/host.crt', 'node/haproxy.cfg']
    const contents = () => Promise.all(files.map(file => readFile(join(out, file), 'utf8')))
    const first = await contents()
    const { name, restapi } = parse(first[0] ?? '')
    expect(name).toBe('db1')
    expect(restapi.allowlist).toEqual(['10.0.0.11', '10.0.0.12', '10.0.0.13', '127.0.0.1'])
    await make(filled)
    expect(await contents()).toEqual(first)
    expect(first.join('')).not.toMatch(/@[A-Z_]+@/)
  })

  test.skipIf(!existsSync(programs.haproxy))('HAProxy accepts its file', async () => {
    const node = join(scratch, 'hosts/node')
    const text = await readFile(join(node, 'haproxy.cfg'), 'utf8')
    await writeFile(join(node, 'haproxy.cfg'), text.replaceAll('/etc/dodeca/', `${node}/`))
    const { stdout, stderr } = await run(programs.haproxy, ['-c', '-f', join(node, 'haproxy.cfg')])
    expect(stdout + stderr).toContain('Configuration file is valid')
  })
})

describe('settings', () => {
  test.each(deployments)('of $file are complete once it has keys', async ({ processes }) => {
    for (const environment of await processes(await newKeys())) {
      expect(loadConfig({}, environment).profile).toBe('production')
    }
    const [first = {}] = await processes({ KERNEL_KEYRING: 'k1:x', KERNEL_PEPPER: 'x' })
    expect(() => loadConfig({}, first)).toThrow('KERNEL_KEYRING')
  })

  const known = new Set(describeSettings(tables).map(one => one.variable))
  const ours = (names: string[]) => names.filter(name => !known.has(name))

  test('the container file', async () => {
    const text = await read('container/Containerfile')
    const names = Object.keys(await containerEnvironment())
    expect(ours(names.filter(name => name !== 'NODE_ENV'))).toEqual([])
    expect(text).toMatch(/^USER node$/m)
    const copied = [...text.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, list = '']) =>
      list.split(' '),
    )
    expect(copied.filter(path => !existsSync(join(root, path)))).toEqual([])
  })

  test('the container file copies what the sources read, and .dockerignore lets it pass', async () => {
    const text = await read('container/Containerfile')
    const read_at = new Set<string>()
    for await (const file of glob('src/**/*.ts', { cwd: root, exclude: ['**/test/**'] })) {
      const source = await readFile(join(root, file), 'utf8')
      for (const [, path = ''] of source.matchAll(/new URL\('((?:\.\.\/)+[^']+)', import\.meta/g)) {
        const [top = ''] = relative(root, resolve(root, dirname(file), path)).split('/')
        if (top !== '') read_at.add(top)
      }
    }
    expect([...read_at]).toEqual(expect.arrayContaining(['console', 'docs']))
    const given = await readFile(join(root, '.dockerignore'), 'utf8')
    for (const name of read_at) {
      expect(text).toMatch(new RegExp(`^COPY .*\\b${name}\\b`, 'm'))
      expect(given.split('\n')).toContain(`!${name}`)
    }
  })

  test('the manifests: settings, selectors and volumes', async () => {
    const objects = parseAllDocuments(await read('kubernetes/dodeca.yaml')).map(one => one.toJS())
    const config = objects.find(({ kind }) => kind === 'ConfigMap')
    expect(ours(Object.keys(config.data))).toEqual([])
    const deployments = objects.filter(({ kind }) => kind === 'Deployment')
    expect(deployments).toHaveLength(2)
    for (const { spec } of deployments) {
      expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels)
      const pod = spec.template.spec
      const names = pod.volumes.map(({ name }: { name: string }) => name)
      for (const { env, volumeMounts, envFrom } of pod.containers) {
        expect(ours(env.map(({ name }: { name: string }) => name))).toEqual([])
        expect(volumeMounts.map(({ name }: { name: string }) => name)).toEqual(names)
        expect(envFrom[0].configMapRef.name).toBe(config.metadata.name)
      }
    }
    const api = deployments[0].spec.template.metadata.labels
    const service = objects.find(({ kind }) => kind === 'Service')
    const budget = objects.find(({ kind }) => kind === 'PodDisruptionBudget')
    expect(api).toMatchObject(service.spec.selector)
    expect(api).toMatchObject(budget.spec.selector.matchLabels)
  })
})

describe('alerts and the dashboard', () => {
  const expressionsOf = async () => {
    const rules = parse(await read('prometheus/alerts.yml'))
    const board = JSON.parse(await read('grafana/dodeca.json'))
    const alerts: string[] = rules.groups[0].rules.map(({ expr }: { expr: string }) => expr)
    const panels: string[] = board.panels.map(
      ({ targets }: { targets: [{ expr: string }] }) => targets[0].expr,
    )
    return { alerts, panels }
  }

  test.skipIf(!existsSync(programs.promtool))('promtool accepts them', async () => {
    await cp(join(deploy, 'prometheus'), join(scratch, 'prometheus'), { recursive: true })
    const cwd = join(scratch, 'prometheus')
    // Each query of the dashboard as a rule, because promtool reads rules.
    const { panels } = await expressionsOf()
    const rules = panels.map((expr, at) => ({ record: `panel:${at}`, expr }))
    await writeFile(
      join(cwd, 'panels.yml'),
      JSON.stringify({ groups: [{ name: 'panels', rules }] }),
    )
    const { stdout } = await run(
      programs.promtool,
      ['check', 'rules', 'alerts.yml', 'panels.yml'],
      { cwd },
    )
    expect(stdout).toContain(`SUCCESS: ${panels.length} rules found`)
    const tested = await run(programs.promtool, ['test', 'rules', 'alerts.test.yml'], { cwd })
    expect(tested.stdout).toContain('SUCCESS')
  })

  test('each metric that they name is one of the platform', async () => {
    const world = await openProductWorld()
    const { text } = await world.call('GET', '/metrics')
    await world.close()
    const own = await new Promise<string[]>(resolve => {
      openGathering([]).gather(lists => resolve(lists.flat().map(one => one.name)))
    })
    const declared = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(
      ([, name = '', type = '']) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    )
    const { alerts, panels } = await expressionsOf()
    const named = [...alerts, ...panels].flatMap(expr =>
      // Without the labels of matchers and groupings, names with an underscore are metrics.
      [...expr.replaceAll(/\{[^}]*\}|by \([^)]*\)/g, '').matchAll(/\b[a-z]+(_[a-z0-9]+)+\b/g)]
        .map(([name]) => name)
        .filter(name => name !== 'histogram_quantile'),
    )
    expect(named.length).toBeGreaterThan(20)
    const known = new Set([...declared, ...own])
    expect(named.filter(name => !known.has(name))).toEqual([])
  })
})
