/**
 * Serves one of the examples: its files, and the client as a browser loads it. A build of your own
 * would bundle the same imports instead.
 */
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const example = process.argv[2] ?? ''
// Applications of their own: they start the platform, which serves their page.
if (example === 'agency' || example === 'shop') {
  const options = { cwd: resolve(import.meta.dirname, example), stdio: 'inherit' } as const
  process.exit(spawnSync('npm', ['start'], options).status ?? 1)
}
const port = Number(process.env['EXAMPLE_PORT'] ?? 5173)
const origin = `http://127.0.0.1:${port}`
const given = process.env['API']
const api = given ?? 'http://localhost:8080'
if (!['chat', 'ask'].includes(example)) {
  console.error('Say which example: npm run example agency, shop, chat or ask.')
  process.exit(1)
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/** Maps an address to a file of this repository. */
function fileOf(path: string): string {
  if (path === '/') return `examples/${example}/index.html`
  if (path === '/style.css') return 'examples/style.css'
  const [, folder = '', name = ''] = /^\/(client|parser)\/([a-z-]+)\.[jt]s$/.exec(path) ?? []
  if (folder === 'client') return `client/src/${name}.ts`
  if (folder === 'parser') return `node_modules/eventsource-parser/dist/${name}.js`
  if (path === '/openapi-fetch.mjs') return 'node_modules/openapi-fetch/dist/index.mjs'
  return path === '/app.js' ? `examples/${example}/app.js` : ''
}

createServer((request, response) => void serve(request, response)).listen(port, '127.0.0.1', () => {
  const query = given === undefined ? '' : `?${new URLSearchParams({ api })}`
  console.log(`The example ${example} is at ${origin}${query}`)
  void checkPlatform()
})

/** A browser would only say that the fetch failed. */
async function checkPlatform(): Promise<void> {
  const reply = await fetch(`${api}/readyz`, { headers: { origin } }).catch(() => null)
  if (!reply) {
    console.error(`No platform answers at ${api}. Start it, or name another one: API=http://…`)
  } else if (!reply.headers.has('access-control-allow-origin')) {
    console.error(`It does not accept this page. Start it with KERNEL_CORS_ORIGINS=${origin}`)
  }
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const file = fileOf(new URL(request.url ?? '/', 'http://any').pathname)
  const text = file && (await readFile(resolve(root, file), 'utf8').catch(() => ''))
  if (!text) return void response.writeHead(404).end()
  const type = types[file.split('.').at(-1) ?? ''] ?? types['js']
  response.setHeader('content-type', type ?? '')
  response.end(file.endsWith('.ts') ? stripTypeScriptTypes(text) : text)
}
