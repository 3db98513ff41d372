/**
 * HTML: the article that Readability finds. If it finds none, or loses more than half of the text,
 * the whole body is used. No resource is loaded and no script runs. The tree is walked without
 * recursion, because a hostile page may have very deep nesting.
 */
import { isProbablyReaderable, Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import type { Canonical } from './canonical.ts'
import { ExtractionFailed, type ExtractLimits } from './extract.ts'
import { decodeText } from './read-text.ts'
import { openWriter, type Writer } from './writer.ts'

/** A page with 50 MiB of tags would take minutes. Real pages have a few thousand elements. */
const elements_max = 200_000
const depth_max = 1000
const skipped = new Set(
  'SCRIPT STYLE TEMPLATE NOSCRIPT SVG MATH HEAD NAV IFRAME OBJECT FORM BUTTON SELECT'.split(' '),
)
const blocks = new Set(
  `ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER HEADER
  HR LI MAIN OL P SECTION SUMMARY UL`.split(/\s+/),
)

export function readHtml(bytes: Uint8Array, limits: ExtractLimits): Canonical {
  const html = decodeText(bytes)
  checkShape(html)
  const document = parseDocument(html)
  const title = document.querySelector('title')?.textContent ?? null
  const whole = writeTree(document, limits).finish(title)
  if (!isReaderable(document)) return whole
  const article = new Reader(document, { serializer: node => node }).parse()
  if (!article?.content) return whole
  const main = writeTree(article.content, limits).finish(article.title ?? title)
  return main.text.length * 2 >= whole.text.length ? main : whole
}

/** For HTML that this process made itself, such as that of a Word document. */
export function readFragment(html: string, limits: ExtractLimits): Canonical {
  checkShape(html)
  return writeTree(parseDocument(html), limits).finish(null)
}

/** The part of the DOM that is needed here. Both packages use the types of a browser. */
type DomNode = {
  readonly nodeType: number
  readonly nodeName: string
  readonly textContent: string | null
  readonly childNodes: Iterable<DomNode>
}
type HtmlElement = { getAttribute(name: string): string | null; remove(): void }
type HtmlDocument = DomNode & {
  querySelector(selector: string): DomNode | null
  querySelectorAll(selector: string): Iterable<HtmlElement>
}
type Article = { readonly title?: string | null; readonly content?: DomNode | null }

const Reader = Readability as unknown as new (
  document: HtmlDocument,
  options: { serializer(node: DomNode): DomNode },
) => { parse(): Article | null }
const isReaderable = isProbablyReaderable as unknown as (document: HtmlDocument) => boolean

function parseDocument(html: string): HtmlDocument {
  const { document } = parseHTML(html) as unknown as { readonly document: HtmlDocument }
  for (const element of document.querySelectorAll('[hidden], [style]')) {
    const style = element.getAttribute('style') ?? ''
    if (element.getAttribute('hidden') !== null || invisible.test(style)) element.remove()
  }
  return document
}

/** Runs before parsing, so that a tree that is too large is refused and not built. */
function checkShape(html: string): void {
  let elements = 0
  let depth = 0
  for (const [tag] of html.matchAll(/<\/?[a-z][^\s>/]{0,30}/gi)) {
    if (tag.startsWith('</')) depth = Math.max(0, depth - 1)
    else if (!/^<(area|base|br|col|hr|img|input|link|meta|p|li|td|tr|th|dd|dt)$/i.test(tag)) depth++
    if (++elements > 2 * elements_max || depth > depth_max) {
      throw new ExtractionFailed('extraction_resource_limit')
    }
  }
}

/**
 * A reader of the page does not see it, so it may not speak for the page. Style sheets are not read.
 */
const invisible =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|(?:opacity|font-size)\s*:\s*0(?:\.0+)?(?:px|r?em|pt|%)?)\s*(?:!important\s*)?(?:;|$)/i

const text_node = 3
const element_node = 1

function writeTree(root: DomNode, { characters }: ExtractLimits): Writer {
  const writer = openWriter(characters)
  let line = ''
  let bullet = ''
  const flush = () => {
    if (line.trim() === '') return
    writer.paragraph(bullet + line)
    line = ''
    bullet = ''
  }
  // A stack: each entry is a node, or a step to run after a node.
  const stack: (DomNode | (() => void))[] = [root]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'function') next()
    else if (next.nodeType === text_node) line += next.textContent ?? ''
    else if (next === root || (next.nodeType === element_node && !skipped.has(next.nodeName))) {
      const name = next.nodeName
      if (name === 'BR') line += ' '
      else if (name === 'PRE' || name === 'TABLE' || /^H[1-6]$/.test(name)) {
        flush()
        writeLeaf(writer, next)
      } else {
        const is_block = blocks.has(name)
        if (is_block) flush()
        if (name === 'LI') bullet = '- '
        if (is_block) stack.push(flush)
        for (const child of [...next.childNodes].reverse()) stack.push(child)
      }
    }
  }
  flush()
  return writer
}

function writeLeaf(writer: Writer, node: DomNode): void {
  if (node.nodeName === 'PRE') writer.code(node.textContent ?? '')
  else if (node.nodeName === 'TABLE') {
    writer.table(descendants(node, 'TR').map(row => cellsOf(row)))
  } else writer.heading(Number(node.nodeName.slice(1)), node.textContent ?? '')
}

function cellsOf(row: DomNode): string[] {
  return [...row.childNodes]
    .filter(({ nodeName }) => nodeName === 'TD' || nodeName === 'TH')
    .map(cell => cell.textContent ?? '')
}

function descendants(root: DomNode, name: string): DomNode[] {
  const found: DomNode[] = []
  const stack = [root]
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.nodeName === name) found.push(node)
    else stack.push(...[...node.childNodes].reverse())
  }
  return found
}
