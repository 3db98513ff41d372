/**
 * The pages of the documentation: Markdown files of this repository, with their addresses on the
 * site. `docs/README.md` is the index. Its lists are the navigation, in the same order.
 */
import { readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { base, type Group } from './frame.ts'
import type { Lists } from './reference-lists.ts'
import { renderMarkdown, type Rendered, type SamplesOf } from './render-markdown.ts'

const repository = new URL('../../../', import.meta.url)

/** Files outside of `docs/` that are pages too. */
const elsewhere: Readonly<Record<string, string>> = {
  'CHANGELOG.md': 'changelog',
  'CONTRIBUTING.md': 'contributing',
  'SECURITY.md': 'report-a-vulnerability',
  'api/tools.md': 'list-of-tools',
  'client/README.md': 'client',
  'examples/agency/README.md': 'guides/agency',
}

export type Page = Rendered & {
  /** The path from the root of the repository. */
  readonly file: string
  /** The address below `/docs/`. Empty for the index. */
  readonly name: string
}

export type Site = {
  readonly groups: readonly Group[]
  /** Returns a page. A page is rendered at its first visit. */
  page(name: string): Promise<Page | null>
  /** The Markdown of a page, with links to the Markdown of other pages. */
  text(name: string): Promise<string | null>
  /** Returns every page, one after the other. */
  all(): AsyncGenerator<Page>
}

/** The address in all commands and samples. The pages name that of the platform instead. */
const sample_url = 'http://localhost:8080'

/** A list of `lists` is the end of its page. */
export async function openSite(
  lists: Lists,
  public_url = sample_url,
  samplesOf?: SamplesOf,
): Promise<Site> {
  const read = (file: string) => readSource(file, lists[file]?.() ?? '', public_url)
  const readPage = async (file: string) => renderPage(file, await read(file), samplesOf)
  const index = await readPage('docs/README.md')
  const groups = groupsOf(await readFile(new URL('docs/README.md', repository), 'utf8'))
  const files = new Map(groups.flatMap(group => group.entries.map(one => [one.name, one.file])))
  const known = new Map<string, Promise<Page>>([['', Promise.resolve(index)]])
  const page = async (name: string): Promise<Page | null> => {
    const file = files.get(name)
    const made = known.get(name) ?? (file === undefined ? null : readPage(file))
    if (made) known.set(name, made)
    return made
  }
  return {
    groups,
    page,
    text: async name => {
      const file = name === '' ? 'docs/README.md' : files.get(name)
      return file === undefined ? null : linked(await read(file), file)
    },
    all: async function* () {
      for (const name of ['', ...files.keys()]) {
        const one = await page(name)
        if (one) yield one
      }
    },
  }
}

async function readSource(file: string, list: string, public_url: string): Promise<string> {
  const text = await readFile(new URL(file, repository), 'utf8')
  return `${text}\n${list}`.replaceAll(sample_url, () => public_url)
}

function renderPage(file: string, source: string, samplesOf: SamplesOf | undefined): Page {
  const rendered = renderMarkdown(source, target => addressOf(target, file), samplesOf)
  return { ...rendered, file, name: nameOf(file) ?? '' }
}

function linked(source: string, file: string): string {
  return source.replaceAll(/\]\(([^)\s]+)\)/g, (whole, target: string) => {
    const [path = '', hash] = (addressOf(target, file) ?? '').split('#')
    if (!path.startsWith(`${base}/`) || path.includes('.')) return whole
    const page = path === `${base}/` ? `${base}/index` : path
    return `](${page}.md${hash === undefined ? '' : `#${hash}`})`
  })
}

/** The headings of the index with their lists of links. Links to other sites are left out. */
function groupsOf(index: string) {
  return index
    .split(/^## /m)
    .slice(1)
    .map(part => {
      const links = [...part.matchAll(/^- \[([^\]]+)\]\(([^)#]+\.md)\)/gm)]
      const entries = links.flatMap(([, title = '', target = '']) => {
        const file = posix.join('docs', target)
        const name = nameOf(file)
        return name === null ? [] : [{ title, name, file }]
      })
      return { title: (part.split('\n')[0] ?? '').trim(), entries }
    })
    .filter(({ entries }) => entries.length > 0)
}

/** The name of a file on the site. Null if the file is not a page. */
function nameOf(file: string): string | null {
  if (file === 'docs/README.md') return ''
  if (/^docs\/.+\.md$/.test(file)) return file.slice('docs/'.length, -'.md'.length)
  return elsewhere[file] ?? null
}

/** The address of a link in a file: another page, a file that the site serves, or another site. */
export function addressOf(target: string, file: string): string | null {
  if (/^(https?:|mailto:|#|\/)/.test(target)) return target
  const [path = '', hash] = target.split('#')
  const resolved = posix.join(posix.dirname(file), path)
  const anchor = hash === undefined ? '' : `#${hash}`
  const name = nameOf(resolved)
  if (name !== null) return `${base}/${name}${anchor}`
  return /^docs\/(images|examples)\//.test(resolved) ? `/${resolved}` : null
}
