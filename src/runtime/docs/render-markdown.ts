/**
 * Renders the Markdown of our own pages as HTML. The `markup` tag escapes every text. HTML inside a
 * page is shown as text, so that a page can never contain a script.
 */
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table'
import { gfmTable } from 'micromark-extension-gfm-table'
import { markup, trusted, type Markup } from '#dodeca/kernel'
import { code, tabs, type Sample } from './tabs.ts'

type Root = ReturnType<typeof fromMarkdown>
type Node = Root['children'][number]
type Of<T extends Node['type']> = Extract<Node, { type: T }>

export type Heading = { readonly depth: number; readonly id: string; readonly text: string }

/** A heading and the text below the heading, as plain text for the search. */
export type Section = Heading & { readonly says: string }

export type Rendered = {
  readonly title: string
  readonly body: Markup
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
}

/**
 * Returns the address on the site for a link or picture of a page. Null means that the site does
 * not serve the target.
 */
export type Resolve = (target: string) => string | null

/** The samples of a block of code that begins with ```sh tabs. */
export type SamplesOf = (source: string) => readonly Sample[]

type Context = {
  readonly resolve: Resolve
  readonly ids: ReadonlyMap<Node, string>
  readonly samplesOf: SamplesOf | undefined
}

export function renderMarkdown(source: string, resolve: Resolve, samplesOf?: SamplesOf): Rendered {
  const root = fromMarkdown(source, {
    extensions: [gfmTable()],
    mdastExtensions: [gfmTableFromMarkdown()],
  })
  const ids = idsOf(root)
  const sections = sectionsOf(root, ids)
  return {
    title: sections[0]?.text ?? '',
    body: markup`${root.children.map(one => block(one, { resolve, ids, samplesOf }))}`,
    headings: sections.map(({ depth, id, text }) => ({ depth, id, text })),
    sections,
  }
}

/**
 * Makes the ids of headings like GitHub, so that a link to a heading works in the repository and on
 * the site.
 */
function idsOf(root: Root): Map<Node, string> {
  const taken = new Map<string, number>()
  const ids = new Map<Node, string>()
  for (const node of root.children) {
    if (node.type !== 'heading') continue
    const plain = textOf(node).toLowerCase()
    const slug = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-')
    const seen = taken.get(slug) ?? 0
    taken.set(slug, seen + 1)
    ids.set(node, seen === 0 ? slug : `${slug}-${seen}`)
  }
  return ids
}

function sectionsOf(root: Root, ids: ReadonlyMap<Node, string>): Section[] {
  const sections: { depth: number; id: string; text: string; says: string }[] = []
  for (const node of root.children) {
    if (node.type === 'heading') {
      const { depth } = node
      sections.push({ depth, id: ids.get(node) ?? '', text: textOf(node), says: '' })
    } else {
      const last = sections.at(-1)
      if (last) last.says += `${textOf(node)}\n`
    }
  }
  return sections
}

/** A space keeps the words of two blocks apart. */
function textOf(node: Node): string {
  if ('value' in node) return node.value
  if (!('children' in node)) return ''
  const gap = ['paragraph', 'heading', 'tableCell'].includes(node.type) ? '' : ' '
  const texts = (node.children as Node[]).map(textOf)
  return texts.join(node.type === 'tableRow' || node.type === 'table' ? ' ' : gap)
}

function block(node: Node, context: Context): Markup {
  switch (node.type) {
    case 'heading':
      return heading(node, context)
    case 'paragraph':
      return markup`<p>${inside(node, context)}</p>\n`
    case 'code':
      return node.meta === 'tabs' && context.samplesOf
        ? tabs(context.samplesOf(node.value))
        : markup`${code(node.value)}\n`
    case 'blockquote':
      return markup`<blockquote>${inside(node, context)}</blockquote>\n`
    case 'list':
      return list(node, context)
    case 'table':
      return table(node, context)
    case 'thematicBreak':
      return markup`<hr>\n`
    default:
      return inline(node, context)
  }
}

function heading(node: Of<'heading'>, context: Context): Markup {
  const tag = trusted(`h${node.depth}`)
  const id = context.ids.get(node) ?? ''
  return node.depth === 1
    ? markup`<h1 id="${id}">${inside(node, context)}</h1>\n`
    : markup`<${tag} id="${id}"><a href="#${id}">${inside(node, context)}</a></${tag}>\n`
}

function list(node: Of<'list'>, context: Context): Markup {
  const items = node.children.map(item => {
    const [only] = item.children
    const bare = item.children.length === 1 && only?.type === 'paragraph'
    return markup`<li>${bare ? inside(only, context) : inside(item, context)}</li>\n`
  })
  return node.ordered === true
    ? markup`<ol start="${node.start ?? 1}">${items}</ol>\n`
    : markup`<ul>${items}</ul>\n`
}

/** The table scrolls inside its own box, also by the keyboard, so that the page fits on a phone. */
function table(node: Of<'table'>, context: Context): Markup {
  const [head, ...rows] = node.children
  const headed = head && head.children.some(cell => cell.children.length > 0)
  const top = headed
    ? markup`<thead><tr>${head.children.map(cell => headCell(cell, context))}</tr></thead>`
    : null
  const body = rows.map(
    row =>
      markup`<tr>${row.children.map(cell => markup`<td>${inside(cell, context)}</td>`)}</tr>\n`,
  )
  return markup`<div class="table" role="group" aria-label="Table" tabindex="0"><table>${top}<tbody>${body}</tbody></table></div>\n`
}

/** An empty cell is not a heading. */
function headCell(cell: Of<'tableCell'>, context: Context): Markup {
  return cell.children.length > 0
    ? markup`<th scope="col">${inside(cell, context)}</th>`
    : markup`<td></td>`
}

function inline(node: Node, context: Context): Markup {
  switch (node.type) {
    case 'text':
      return markup`${node.value}`
    case 'inlineCode':
      return markup`<code>${node.value}</code>`
    case 'strong':
      return markup`<strong>${inside(node, context)}</strong>`
    case 'emphasis':
      return markup`<em>${inside(node, context)}</em>`
    case 'break':
      return markup`<br>`
    case 'link': {
      const target = context.resolve(node.url)
      return target === null
        ? inside(node, context)
        : markup`<a href="${target}">${inside(node, context)}</a>`
    }
    case 'image':
      return markup`<img src="${context.resolve(node.url) ?? ''}" alt="${node.alt}" loading="lazy">`
    default:
      return 'value' in node ? markup`${node.value}` : markup``
  }
}

function inside(node: { readonly children: readonly unknown[] }, context: Context): Markup {
  return markup`${(node.children as readonly Node[]).map(one => block(one, context))}`
}
