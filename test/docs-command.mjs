/**
 * `npx dodeca` (and `npx node`) as a reader of the documents uses it: a person with an authenticator
 * app, who types the code for the address that the command prints. Plain JavaScript, because the
 * pages run it a hundred times, and TypeScript costs each of them 40 ms.
 */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { bundled } from '../scripts/bundle.mjs'

const [name, ...words] = process.argv.slice(2)
if (name !== 'dodeca' && name !== 'node') {
  throw new Error(`the documents use npx for dodeca and node only, and not for ${name}`)
}
const source = resolve(import.meta.dirname, '../src/cli.ts')
const cli = () => bundled('src/cli.ts', { kind: 'test' }) ?? source
const program = name === 'node' ? words : [cli(), ...words]
const child = spawn(process.execPath, program, { stdio: ['pipe', 'pipe', 'inherit'] })
let printed = ''
let is_answered = false
child.stdout.on('data', chunk => {
  process.stdout.write(chunk)
  printed += chunk.toString()
  const address = /otpauth:\S+(?=\s)/.exec(printed)?.[0]
  if (address && !is_answered) void answer(address)
})
child.on('exit', code => {
  process.exitCode = code ?? 1
})

async function answer(address) {
  is_answered = true
  const { URI } = await import('otpauth')
  child.stdin.end(`${URI.parse(address).generate()}\n`)
}
