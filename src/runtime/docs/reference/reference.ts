/** The reference of the API: a list of all operations, and a page for each, made from the OpenAPI document. */
import { markup, type Markup } from '#dodeca/kernel'
import { base, type Group } from '../frame.ts'
import type { Findable } from '../search.ts'
import { parametersOf, type Document } from './document.ts'
import { operationPage, type Shown } from './operation-page.ts'
import { described } from './schema-view.ts'

export type Reference = {
  /**
   * Returns the page of an operation, or the list for an empty name. Null if there is no such
   * operation.
   */
  page(name: string): { title: string; groups: readonly Group[]; body: Markup } | null
  /** All operations, for the search. */
  all(): AsyncGenerator<Findable>
}

type Tag = Document['tags'][number] & { readonly operations: readonly Shown[] }

export function openReference(text: string): Reference {
  const document = JSON.parse(text) as Document
  const tags = tagsOf(document)
  const every = tags.flatMap(({ operations }) => operations)
  const named = new Map(every.map(one => [one.operation.operationId, one]))
  return {
    page: name => {
      if (name === '')
        return { title: 'API reference', groups: groupsOf(tags), body: list(tags, every.length) }
      const shown = named.get(name)
      if (!shown) return null
      const tag = tags.find(({ operations }) => operations.includes(shown))
      const body = operationPage(document, shown)
      return { title: shown.operation.summary, groups: groupsOf(tags, tag), body }
    },
    all: async function* () {
      for (const one of every) {
        const { operationId, summary } = one.operation
        const section = { depth: 1, id: '', text: summary, says: wordsOf(document, one) }
        yield { title: summary, name: `api/${operationId}`, sections: [section] }
      }
    },
  }
}

function tagsOf({ tags, paths }: Document): Tag[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      return { method: method.toUpperCase(), path, operation } as Shown
    }),
  )
  return tags.map(tag => ({
    ...tag,
    operations: all.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
}

/** The operations of the current surface, then a list of all surfaces. */
function groupsOf(tags: readonly Tag[], current?: Tag): Group[] {
  const beside = (current?.operations ?? []).map(({ operation }) => ({
    title: operation.summary,
    name: `api/${operation.operationId}`,
  }))
  const surfaces = tags.map(({ name }) => ({ title: name, name: `api#${anchorOf(name)}` }))
  return [
    ...(current ? [{ title: current.name, entries: beside }] : []),
    { title: 'API reference', entries: [{ title: 'All operations', name: 'api' }, ...surfaces] },
    { title: 'Documentation', entries: [{ title: 'All pages', name: '' }] },
  ]
}

const others = 'others'
const anchorOf = (tag: string) => `tag/${tag.toLowerCase()}`

/**
 * The anchors consist of tag, method and path, so that links to earlier versions of the page still
 * work.
 */
function list(tags: readonly Tag[], count: number): Markup {
  const parts = tags.map(({ name, description, operations }) => {
    const nouns = Object.entries(Object.groupBy(operations, nounOf)).toSorted(byNoun)
    const groups = nouns.map(([noun, of = []]) => {
      const items = of.map(
        ({ method, path, operation }) =>
          markup`<li id="${anchorOf(name)}/${method}${path}"><a href="${base}/api/${operation.operationId}">${operation.summary}</a> <span class="soft"><b>${method}</b> ${path}</span></li>\n`,
      )
      return markup`<h3>${noun}</h3><ul class="operations">${items}</ul>\n`
    })
    const id = anchorOf(name)
    return markup`<h2 id="${id}"><a href="#${id}">${name}</a></h2>${described(description)}${groups}`
  })
  return markup`<h1>API reference</h1>
<p>${count} operations with samples in curl, TypeScript and Python, to try with your own token. <a href="${base}/requests">Requests and errors</a> says what they share; the <a href="/openapi.json">OpenAPI document</a> is what programs read.</p>
${parts}`
}

function nounOf({ path }: Shown): string {
  return /^\/v1\/([^/:]+)/.exec(path)?.[1] ?? others
}

function byNoun([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return Number(one === others) - Number(other === others) || (one < other ? -1 : 1)
}

function wordsOf(document: Document, { method, path, operation }: Shown): string {
  const { operationId, description } = operation
  const parameters = parametersOf(document, operation).map(({ name }) => name)
  return `${method} ${path}. ${description} ${operationId} ${parameters.join(' ')}`
}
