/**
 * Stands for systemctl where no systemd runs: starts ExecStart of a unit with its user, folder and
 * environment, as systemd would. A service of type `oneshot` runs to its end.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, openSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

const [action, ...rest] = process.argv.slice(2)
const units = rest.filter(one => one.endsWith('.service'))
if (['enable', 'start', 'restart'].includes(action)) for (const unit of units) start(unit)
else if (action !== 'daemon-reload') throw new Error(`systemctl ${action} is not known here`)

function start(unit) {
  const file = ['/etc/systemd/system', '/lib/systemd/system']
    .map(folder => `${folder}/${unit}`)
    .find(path => existsSync(path))
  const text = readFileSync(file, 'utf8')
  const given = name => [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(one => one[1])
  const [user = 'root'] = given('User')
  const env = { PATH: process.env.PATH, HOME: `/var/lib/${user}` }
  for (const line of given('Environment')) Object.assign(env, parseEnv(line.replaceAll(' ', '\n')))
  for (const path of given('EnvironmentFile'))
    Object.assign(env, parseEnv(readFileSync(path, 'utf8')))
  const log = openSync(`/var/log/${unit}.log`, 'a')
  const options = { cwd: given('WorkingDirectory')[0] ?? '/', env, stdio: ['ignore', log, log] }
  const asUser = line => ['-u', user, '--', ...line.split(' ')]
  if (given('Type')[0] !== 'oneshot') {
    spawn('runuser', asUser(given('ExecStart')[0]), { ...options, detached: true }).unref()
    return
  }
  for (const line of [...given('ExecStart'), ...given('ExecStartPost')]) {
    const { status } = spawnSync('runuser', asUser(line), options)
    if (status !== 0) {
      process.stderr.write(readFileSync(`/var/log/${unit}.log`))
      throw new Error(`${line} ended with ${status}`)
    }
  }
}
