/** A start loads no package that only some platforms use: each of these takes 5 to 10 MB. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { inherited } from '../../../test/process.ts'

/** By the surface or part that loads them at their first use. */
const later = {
  'counting tokens': /^gpt-tokenizer\//,
  'connections to the outside': /^undici\//,
  'phone numbers': /^google-libphonenumber\//,
  mails: /^(nodemailer|html-to-text|htmlparser2|parse5|entities)\//,
  'logins at providers, public suffixes and QR codes':
    /^(openid-client|oauth4webapi|tldts|qr|pngjs)\//,
  'pages of the documentation': /^(mdast-util-|micromark)/,
  'pictures, files and vectors':
    /^(sharp|unpdf|mammoth|linkedom|tesseract\.js|@lancedb\/|apache-arrow|esbuild)\//,
}

test('a start loads no package before its first use', async () => {
  const child = join(import.meta.dirname, 'loaded.child.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [child], {
    encoding: 'utf8',
    env: inherited,
    maxBuffer: 1e7,
  })
  const files = JSON.parse(stdout) as string[]
  expect(files.some(file => file.startsWith('typebox/'))).toBe(true)
  for (const [use, pattern] of Object.entries(later)) {
    expect(files.filter(file => pattern.test(file)).slice(0, 5), use).toEqual([])
  }
})
