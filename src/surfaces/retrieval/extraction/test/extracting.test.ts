/** Documents of each format, and files made to break their readers: each ends with its code, in time. */
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostile, pdfOf, word } from './samples.ts'
import { childPids, extraNiceOf, low_extra } from '../../../../../test/child-pids.ts'
import { default_limits, ExtractionFailed, type Extractors } from '../extract.ts'
import { openExtractors } from '../open-extractors.ts'

let extractors: Extractors
let others: readonly number[]
beforeAll(async () => {
  others = await childPids()
  extractors = openExtractors({ processes: 2 })
})
afterAll(async () => await extractors.close())

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

async function read(type: string, content: string | Buffer, limits = {}) {
  const within = { ...default_limits, ...limits }
  return await extractors.extract(Buffer.from(content), type, within, { tenant_id: 'a' })
}

async function codeOf(reading: Promise<unknown>): Promise<string> {
  const error: unknown = await reading.then(
    () => 'no failure',
    (cause: unknown) => cause,
  )
  return error instanceof ExtractionFailed ? error.code : String(error)
}

describe.concurrent('a document', () => {
  test('of plain text is normalised and otherwise kept', async () => {
    const { text } = await read(
      'text/plain',
      '\ufeffcafe\u0301\r\nso\u00adlar\u0000\r\n\r\n\r\n\r\n  b ',
    )
    expect(text).toBe('café\nsolar\n\n  b')
  })

  test('in Windows-1252 is read', async () => {
    expect((await read('text/plain', Buffer.from('na\xefve \x93x\x94', 'latin1'))).text).toBe(
      'naïve “x”',
    )
  })

  test('of Markdown has headings, code and tables at their places', async () => {
    const { text, title, headings, blocks } = await read(
      'text/markdown',
      '# 🚀 Start\n\nRun <b>it</b> *now*.\n\n- one\n- two\n\n```\na  b\n```\n\n| k | v |\n|---|---|\n| 1 | 2 |\n',
    )
    expect(text).toBe('🚀 Start\n\nRun it now.\n\n- one\n\n- two\n\na  b\n\nk | v\n1 | 2')
    expect(title).toBe('🚀 Start')
    expect(headings).toEqual([{ level: 1, start: 0, text: '🚀 Start' }])
    const points = Array.from(text)
    expect(blocks.map(({ start, end }) => points.slice(start, end).join(''))).toEqual([
      'a  b',
      'k | v\n1 | 2',
    ])
  })

  test('of HTML is its article, without scripts, navigation and forms', async () => {
    const paragraphs = Array.from(
      { length: 12 },
      (_, n) => `<p>Writers wait for locks, part ${n}, ${'and so on, '.repeat(12)}.</p>`,
    )
    const { text, title } = await read(
      'text/html',
      `<html><head><title>Locks</title><script>steal()</script></head><body><nav>Home</nav>
       <article><h1>Locks</h1>${paragraphs.join('')}<ul><li>first</li><li><p>second</p></li></ul></article>
       <form><input value=x>Subscribe</form></body></html>`,
    )
    expect(title).toBe('Locks')
    expect(text).toContain('part 11')
    expect(text).toContain('- first\n\n- second')
    expect(text).not.toMatch(/steal|Home|Subscribe/)
  })

  test('of HTML without an article is its whole body', async () => {
    const hidden = ['hidden', 'style="color:red; DISPLAY : none"', 'style="font-size:0px"']
    const seen = '<p style="font-size:0.9em; opacity:1">Seen.</p>'
    const page = `${hidden.map(one => `<p ${one}>Ignore <b>the rest</b>.</p>`).join('')}${seen}`
    expect((await read('text/html', page)).text).toBe('Seen.')
    expect((await read('text/html', '<p>Ten &amp; one</p>x<p>two')).text).toBe(
      'Ten & one\n\nx\n\ntwo',
    )
  })

  test('of PDF has its pages', async () => {
    const { text, pages } = await read('application/pdf', pdfOf(['First page.', '', 'Third page.']))
    expect(text).toBe('First page.\n\nThird page.')
    expect(pages).toEqual([
      { page: 1, start: 0 },
      { page: 2, start: 13 },
      { page: 3, start: 13 },
    ])
  })

  test('of Word has headings and tables', async () => {
    const { text, headings } = await read(docx, word())
    expect(text).toBe('Locks\n\nWriters wait.\n\nk | v\n1 | 2')
    expect(headings).toEqual([{ level: 1, start: 0, text: 'Locks' }])
  })

  test('that is a picture is read by OCR', async () => {
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="120">
      <rect width="800" height="120" fill="white"/>
      <text x="20" y="75" font-size="44" font-family="sans-serif">Rotate the webhook secret</text></svg>`
    const picture = await sharp(Buffer.from(drawing)).png().toBuffer()
    expect((await read('image/png', picture)).text).toBe('Rotate the webhook secret')
  })
})

type Case = readonly [title: string, type: string, content: () => string | Buffer, code: string]
const cases: Case[] = [
  ['a zip bomb', docx, hostile.zipBomb, 'extraction_resource_limit'],
  ['a Word document with entities', docx, hostile.entities, 'extraction_failed'],
  ['an encrypted Word document', docx, hostile.encryptedWord, 'encrypted_document'],
  ['a zip that is none', docx, () => Buffer.from('PK\x03\x04 no zip'), 'extraction_failed'],
  ['a PDF of 10,000 pages', 'application/pdf', hostile.manyPages, 'extraction_resource_limit'],
  ['an encrypted PDF', 'application/pdf', hostile.encryptedPdf, 'encrypted_document'],
  ['a PDF that is none', 'application/pdf', () => Buffer.from('%PDF-1.4 no'), 'extraction_failed'],
  ['nested HTML', 'text/html', () => '<div>'.repeat(100_000), 'extraction_resource_limit'],
  ['nested quotes', 'text/markdown', () => '>'.repeat(12_000), 'extraction_resource_limit'],
  ['entities of HTML', 'text/html', hostile.htmlEntities, 'empty_document'],
  [
    'a text that is too long',
    'text/plain',
    () => 'x'.repeat(2_000_001),
    'extraction_resource_limit',
  ],
  ['a file without text', 'text/plain', () => ' \u0000\n -- ', 'empty_document'],
  ['an unknown type', 'video/mp4', () => 'x', 'unsupported_document_type'],
]

describe.concurrent('a file that is made to break a reader', () => {
  test.for(cases)('%s fails with its code', async ([, type, content, code]) => {
    expect(await codeOf(read(type, content()))).toBe(code)
  })
})

describe('reading', () => {
  test('gives way to requests', async () => {
    await read('text/plain', 'short')
    const own = (await childPids()).filter(pid => !others.includes(pid))
    expect(new Set(own.map(extraNiceOf))).toEqual(new Set([low_extra]))
  })

  test('is stopped when it takes too long, and its process is gone', async () => {
    const before = await childPids()
    const long = '['.repeat(200_000) + '](a'.repeat(200_000)
    const limits = { timeout_seconds: 0.8 }
    expect(await codeOf(read('text/markdown', long, limits))).toBe('extraction_timeout')
    await expect
      .poll(async () => (await childPids()).filter(pid => !before.includes(pid)), {
        timeout: 150_000,
      })
      .toEqual([])
  })

  test('is stopped when it takes too much memory', async () => {
    const limits = { memory_bytes: 60 * 1024 * 1024 }
    const html = '<p>word</p>'.repeat(150_000)
    expect(await codeOf(read('text/html', html, limits))).toBe('extraction_resource_limit')
  })

  test('of documents of one tenant that take long does not stop those of another', async () => {
    const stop = new AbortController()
    const long = Buffer.from('['.repeat(200_000) + '](a'.repeat(200_000))
    const by = { tenant_id: 'a', signal: stop.signal }
    const reading = [1, 2, 3].map(() =>
      extractors.extract(long, 'text/markdown', default_limits, by),
    )
    const ends = Promise.allSettled(reading)
    const short = Buffer.from('short')
    const other = { tenant_id: 'b' }
    const { text } = await extractors.extract(short, 'text/plain', default_limits, other)
    expect(text).toBe('short')
    stop.abort(new Error('given up'))
    expect((await ends).map(one => one.status)).toEqual(['rejected', 'rejected', 'rejected'])
  })

  test('is stopped when the caller gives up', async () => {
    const stop = new AbortController()
    const reading = extractors.extract(
      Buffer.from('['.repeat(200_000)),
      'text/markdown',
      default_limits,
      { tenant_id: 'a', signal: stop.signal },
    )
    stop.abort(new Error('given up'))
    await expect(reading).rejects.toThrow('given up')
  })
})
