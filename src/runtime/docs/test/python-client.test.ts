/** The Python client, as a program of a user loads and runs it. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openProxy } from '../../../../test/client/proxy.ts'
import { freePort } from '../../../../test/free-port.ts'
import { openProductWorld, type ProductWorld } from '../../../../test/product-world.ts'

const run = promisify(execFile)
let world: ProductWorld
let folder: string

beforeAll(async () => {
  const port = await freePort()
  world = await openProductWorld({
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    KERNEL_SANDBOX: 'true',
    UPLOADS_PART_BYTES: String(5 * 1024 * 1024),
  })
  folder = await mkdtemp(join(tmpdir(), 'dodeca-python-'))
  const client = await fetch(`${world.url}/docs/dodeca.py`)
  await writeFile(join(folder, 'dodeca.py'), await client.text())
})
afterAll(async () => {
  await world.close()
  await rm(folder, { recursive: true })
})

/** Runs a program with the client, and returns the values that it prints as JSON, one a line. */
async function python(program: string, values: Readonly<Record<string, string>>) {
  const lines = Object.entries(values).map(
    ([name, value]) => `${name} = ${JSON.stringify(value)}\n`,
  )
  const head = 'import json\nfrom dodeca import Dodeca, Problem, UNSET\n'
  const tell = 'def tell(*values): print(json.dumps(values))\n'
  const text = `${head}${tell}${lines.join('')}${program}`
  const { stdout } = await run('python3', ['-W', 'error', '-c', text], { cwd: folder })
  return stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as unknown[])
}

describe('the Python client', () => {
  test('walks a list, sends null and raises refusals', async () => {
    const { token } = await world.member()
    const printed = await python(
      `
api = Dodeca(url, token)
for n in range(5):
    made = api.create_link(destination_url=f"https://www.example.com/{n}", title=str(n))
tell(*[link["title"] for link in api.all(api.list_links, limit=2)])
tell(api.update_link(made["code"], title=None)["title"], api.get_link(made["code"])["destination_url"])
try:
    api.get_link("a code/with?marks")
except Problem as problem:
    tell(problem.status, problem.code, problem.request_id == problem.body["request_id"])
`,
      { url: world.url, token },
    )
    expect(printed).toEqual([
      ['4', '3', '2', '1', '0'],
      [null, 'https://www.example.com/4'],
      [404, 'link_not_found', true],
    ])
  })

  test('repeats a request whose answer was lost, under the same key, and nothing else', async () => {
    const { token } = await world.member()
    const proxy = await openProxy(world.url)
    proxy.trouble.push('lose_answer', { status: 503, code: 'overloaded', retry_after: 0 })
    const printed = await python(
      `
api = Dodeca(url, token)
api.create_link(destination_url="https://www.example.com/once")
tell(len(api.list_links()["data"]))
`,
      { url: proxy.url, token },
    )
    expect(printed).toEqual([[1]])
    const [first, ...others] = proxy.keys.filter(key => key !== undefined)
    expect(others).toEqual([first, first])
    proxy.keys.length = 0
    proxy.trouble.push({ status: 503, code: 'overloaded' }, { status: 422, code: 'alias_invalid' })
    const refused = await python(
      `
api = Dodeca(url, token)
for act in (lambda: api.update_me(display_name="Ada"), lambda: api.create_link(destination_url="x")):
    try:
        act()
    except Problem as problem:
        tell(problem.code)
`,
      { url: proxy.url, token },
    )
    expect(refused).toEqual([['overloaded'], ['alias_invalid']])
    expect(proxy.keys).toHaveLength(2)
    await proxy.close()
  })

  test('refreshes a session whose access token is refused', async () => {
    const { email, tenant } = await world.member()
    const printed = await python(
      `
api = Dodeca(url)
api.use_session(api.log_in(email=email, password="correct horse battery staple", tenant=tenant))
api.token += "x"
tell(api.get_me()["email"])
first, api.token = api.token, api.token + "x"
tell(api.get_me()["email"], first != api.token)
`,
      { url: world.url, email, tenant: tenant.slug },
    )
    expect(printed).toEqual([[email], [email, true]])
  })

  test('sends a file in parts, waits for a job, and reads a stream', async () => {
    const { token } = await world.member()
    const bytes = Buffer.alloc(11 * 1024 * 1024, 'dodeca ')
    await writeFile(join(folder, 'file.bin'), bytes)
    const printed = await python(
      `
api = Dodeca(url, token)
stored = api.upload("file.bin")
tell(stored["state"], stored["checksum"])
job = api.request_report(prompt="A report on rabbits.", title="Rabbits")
tell(api.wait_for_job(job["job_id"])["status"])
events = list(api.stream_inference(model="default", input="Tell me."))
tell(events[0]["event"], events[-1]["event"], len(events) > 2)
open("qr.png", "wb").write(api.get_link_qr_code(
    api.create_link(destination_url="https://www.example.com/")["code"], format="png"))
`,
      { url: world.url, token },
    )
    const digest = createHash('sha256').update(bytes).digest('hex')
    expect(printed).toEqual([
      ['available', `sha256:${digest}`],
      ['succeeded'],
      ['started', 'completed', true],
    ])
    const picture = await readFile(join(folder, 'qr.png'))
    expect(picture.subarray(1, 4).toString()).toBe('PNG')
  })

  test('does not show the token to the host of a redirect', async () => {
    const { token } = await world.member()
    const elsewhere = await openProxy(world.url)
    const printed = await python(
      `
import dodeca, urllib.request
asked = urllib.request.Request(url + "/v1/me", headers={"Authorization": "Bearer " + token})
following = dodeca._Redirects().redirect_request(asked, None, 302, "Found", {}, elsewhere + "/v1/me")
tell(following.full_url == elsewhere + "/v1/me", following.has_header("Authorization"))
`,
      { url: world.url, elsewhere: elsewhere.url, token },
    )
    expect(printed).toEqual([[true, false]])
    await elsewhere.close()
  })
})
