/** The documentation as a whole: its index, its links, its lists, and its search. */
import { readdir, readFile } from 'node:fs/promises'
import { join, posix, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { composition } from '../../../platform.ts'
import { tables } from '../../../settings.ts'
import { describeSettings } from '../../config.ts'
import { gather } from '../../gather-declarations.ts'
import { renderMarkdown } from '../render-markdown.ts'
import { referenceLists } from '../reference-lists.ts'
import { openSearch } from '../search.ts'
import { questions } from './search-questions.ts'
import { addressOf, openSite, type Page } from '../site.ts'

const root = resolve(import.meta.dirname, '../../../..')
const lists = referenceLists(composition.surfaces)
const site = await openSite(lists)
const pages: Page[] = []
for await (const page of site.all()) pages.push(page)

describe('the site', () => {
  test('has every page in its index', async () => {
    const files = await readdir(join(root, 'docs'), { recursive: true })
    const written = files.filter(one => one.endsWith('.md')).map(one => `docs/${one}`)
    const shown = pages.map(({ file }) => file)
    expect(written.filter(one => !shown.includes(one))).toEqual([])
    expect(site.groups.every(({ entries }) => entries.length <= 13)).toBe(true)
  })

  test('has no link that leads nowhere', async () => {
    const anchors = new Map(
      pages.map(({ file, headings }) => [file, new Set(headings.map(({ id }) => id))]),
    )
    const dead: string[] = []
    for (const file of [...pages.map(one => one.file), 'README.md']) {
      const text = (await readFile(join(root, file), 'utf8')).replaceAll(/^```[^]*?^```/gm, '')
      for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
        const [path = '', hash] = target.split('#')
        const at = path === '' ? file : posix.join(posix.dirname(file), path)
        const exists = await readFile(join(root, at)).then(
          () => true,
          (error: unknown) => (error as { code?: string }).code === 'EISDIR',
        )
        const known = anchors.get(at)
        const anchored = hash === undefined || known === undefined || known.has(hash)
        if (!exists || !anchored) dead.push(`${file}: ${target}`)
      }
    }
    expect(dead).toEqual([])
  })

  test('leads within itself, and to the repository only where it has no page', () => {
    expect(addressOf('jobs.md#schedule', 'docs/how-do-i.md')).toBe('/docs/jobs#schedule')
    expect(addressOf('../jobs.md', 'docs/guides/shop.md')).toBe('/docs/jobs')
    expect(addressOf('../client/README.md', 'docs/jobs.md')).toBe('/docs/client')
    expect(addressOf('images/platform.svg', 'docs/architecture.md')).toBe(
      '/docs/images/platform.svg',
    )
    expect(addressOf('../src/platform.ts', 'docs/architecture.md')).toBeNull()
  })

  test('has a list below each page of the reference, of what the surfaces declare', async () => {
    const listed = pages.filter(({ file }) => file.startsWith('docs/reference/'))
    expect(listed.map(({ file }) => file).toSorted()).toEqual(Object.keys(lists).toSorted())
    const { catalog, permissions, declared } = gather(composition.surfaces)
    const events = [...declared].flatMap(([type, { internal }]) => (internal ? [] : [type]))
    const settings = describeSettings(tables).map(({ variable }) => variable)
    const names = [...catalog.keys(), ...permissions.keys(), ...events, ...settings]
    const shown = listed.flatMap(({ sections }) => sections.map(({ says }) => says)).join(' ')
    expect(names.filter(name => !shown.includes(name))).toEqual([])
  })

  test('has the cause and the next step of each error', () => {
    const { catalog } = gather(composition.surfaces)
    const silent = [...catalog].filter(([, { cause, cure }]) => !cause || !cure)
    expect(silent.map(([code]) => code)).toEqual([])
  })
})

describe('Markdown', () => {
  const html = (source: string) => renderMarkdown(source, target => target).body.text

  test('carries no markup of its own', () => {
    const hostile =
      '# <img src=x onerror=alert(1)>\n\n<script>alert(1)</script>\n\na <b>b</b> `</code>`'
    expect(html(hostile)).not.toMatch(/<(script|img|b)\b/)
    expect(html('[a](<"onclick="b>)')).toBe('<p><a href="&quot;onclick=&quot;b">a</a></p>\n')
  })

  test('names headings as the repository does', () => {
    const { headings } = renderMarkdown('# A\n## How do I …?\n## `x` & y\n## `x` & y\n', one => one)
    expect(headings.map(({ id }) => id)).toEqual(['a', 'how-do-i-', 'x--y', 'x--y-1'])
  })
})

describe('the search', async () => {
  const search = await openSearch(each(pages))
  const first = (query: string) => {
    const [hit] = search(query)
    return hit && `${hit.name}#${hit.id}`
  }

  test.for([
    ['rotate webhook secrets', 'webhooks#rotate-the-secret'],
    ['log in with google', 'identity#log-in-with-github-google-or-apple'],
    ['idempotency key', 'requests#idempotency'],
    ['ClamAV', 'uploads#scan-with-clamav'],
    ['forgotten password', 'identity#a-forgotten-password'],
    ['quiet hours', 'notifications#preferences'],
  ])('finds %s', ([query = '', place]) => {
    expect(first(query)).toBe(place)
  })

  test('answers most questions of people who do not know the pages among its first three', () => {
    const missed = questions.flatMap(([question, wanted]) => {
      const three = [...new Set(search(question).map(({ name }) => name))].slice(0, 3)
      return three.some(name => wanted.includes(name)) ? [] : [{ question, three }]
    })
    expect(missed.length, JSON.stringify(missed, null, 1)).toBeLessThanOrEqual(5)
  })

  test('finds a name by its whole and by its beginning', () => {
    expect(search('alias_taken').some(({ name }) => name === 'reference/errors')).toBe(true)
    expect(search('UPLOADS_CLAMD')[0]?.excerpt).toContain('UPLOADS_CLAMD')
    expect(search('reconcil').length).toBeGreaterThan(0)
  })

  test('answers nothing to nothing, and bounds what it reads', () => {
    expect(search('')).toEqual([])
    expect(search('xyzzyplugh')).toEqual([])
    expect(search('a '.repeat(10_000)).length).toBeLessThanOrEqual(20)
  })
})

async function* each(all: readonly Page[]): AsyncGenerator<Page> {
  yield* all
}
