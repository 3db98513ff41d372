/**
 * The examples in deploy/ are accepted by the programs that read them, name only settings and metrics
 * that exist, and fit each other. `start.long.test.ts` starts the platform with their variables, and
 * `image.long.test.ts` builds and runs the images. No test runs the manifests on a cluster.
 */
import { execFile } from 'node:child_process'
import { cp, glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { describeSettings } from '../../src/runtime/config.ts'
import { openGathering } from '../../src/runtime/processes/gather-metrics.ts'
import { loadConfig, tables } from '../../src/settings.ts'
import { openProductWorld } from '../product-world.ts'
import {
  containerEnvironment,
  deployments,
  documents,
  manifestsOf,
  newKeys,
  root,
} from './variables.ts'

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
  kubectl: '/usr/bin/kubectl',
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
    const names = Object.keys(await containerEnvironment())
    const others = ['NODE_ENV', 'MALLOC_ARENA_MAX']
    expect(ours(names.filter(name => !others.includes(name)))).toEqual([])
    expect(await read('container/Containerfile')).toMatch(/^USER 1000:1000$/m)
  })

  test('the manifests: settings, selectors and volumes', async () => {
    const objects = await documents('kubernetes/base/platform.yaml')
    const of = (kind: string) => objects.filter(one => one.kind === kind)
    expect(ours(Object.keys(of('ConfigMap')[0]?.data ?? {}))).toEqual([])
    const pods = of('Deployment').map(({ metadata: { name }, spec }) => {
      const { metadata: { labels } = { labels: {} }, spec: pod } = spec?.template ?? {}
      expect(labels).toMatchObject(spec?.selector?.matchLabels ?? { none: '' })
      const names = pod?.volumes.map(one => one.name)
      for (const { env, volumeMounts, envFrom, securityContext } of pod?.containers ?? []) {
        expect(ours(env.map(one => one.name))).toEqual([])
        expect(volumeMounts.map(one => one.name)).toEqual(names)
        expect(envFrom[0].configMapRef.name).toBe(of('ConfigMap')[0]?.metadata.name)
        expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true })
      }
      expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 })
      return { name, labels }
    })
    expect(pods).toHaveLength(2)
    const [api = { name: '', labels: {} }] = pods
    expect(api.labels).toMatchObject(of('Service')[0]?.spec?.selector ?? { none: '' })
    const budgets = of('PodDisruptionBudget').map(one => one.spec?.selector?.matchLabels)
    expect(budgets).toEqual(pods.map(one => one.labels))
    const scaled = of('HorizontalPodAutoscaler').map(one => one.spec?.scaleTargetRef?.name)
    expect(scaled).toEqual(pods.map(one => one.name))
  })

  test('each list of inner addresses opens ports of private addresses, and the base none', async () => {
    const [base] = await documents('kubernetes/base/network.yaml')
    const rules = (base?.spec?.egress ?? []) as { to: { ipBlock?: { except: string[] } }[] }[]
    const shut = rules.flatMap(({ to }) => to.flatMap(({ ipBlock }) => ipBlock?.except ?? []))
    const inner = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7']
    expect(shut).toEqual(expect.arrayContaining(inner))
    for (const overlay of ['external', 'cnpg']) {
      const [policy] = await documents(`kubernetes/overlays/${overlay}/inner.yaml`)
      const rules = policy?.spec?.egress as { to: unknown[]; ports: unknown[] }[]
      for (const { to, ports } of rules) expect([to.length, ports.length]).not.toContain(0)
    }
  })

  test('the documents of CloudNativePG name each other', async () => {
    const [cluster, store, backup] = await documents('kubernetes/overlays/cnpg/database.yaml')
    expect(JSON.stringify(cluster?.spec)).toContain(`"barmanObjectName":"${store?.metadata.name}"`)
    expect(JSON.stringify(backup?.spec)).toContain(`"cluster":{"name":"${cluster?.metadata.name}"}`)
    const text = await read('kubernetes/overlays/cnpg/kustomization.yaml')
    expect(text).toContain(`name: ${cluster?.metadata.name}-app, key: uri`)
  })

  // Debian 12 has only a kubectl that is too old. Without one the documents are checked one by one.
  test.each(existsSync(programs.kubectl) ? ['external', 'cnpg'] : [])(
    'kubectl renders the overlay %s, with the environment that is tested',
    async name => {
      const folder = join(scratch, name)
      await cp(join(deploy, 'kubernetes'), folder, { recursive: true })
      const overlay = join(folder, 'overlays', name)
      for await (const file of glob('*.env.example', { cwd: overlay })) {
        await cp(join(overlay, file), join(overlay, file.replace('.example', '')))
      }
      const { stdout } = await run(programs.kubectl, ['kustomize', overlay])
      const objects = manifestsOf(stdout)
      const named = (kind: string) => objects.filter(one => one.kind === kind)
      expect(named('Deployment')).toHaveLength(2)
      expect(named('NetworkPolicy')).toHaveLength(2)
      expect(stdout).not.toMatch(/image: dodeca$/m)
      const [deployment] = named('Deployment')
      const [container] = deployment?.spec?.template?.spec.containers ?? []
      const config = named('ConfigMap').find(
        one => one.metadata.name === container?.envFrom[0].configMapRef.name,
      )
      if (name === 'cnpg') return
      const [tested = {}] = (await deployments.at(-1)?.processes({})) ?? []
      expect(tested).toMatchObject(config?.data ?? { none: '' })
    },
  )
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
