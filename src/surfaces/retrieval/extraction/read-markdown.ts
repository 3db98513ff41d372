/** Markdown with GitHub tables: headings, paragraphs, lists, code and tables. HTML is dropped. */
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table'
import { gfmTable } from 'micromark-extension-gfm-table'
import type { Canonical } from './canonical.ts'
import type { ExtractLimits } from './extract.ts'
import { decodeText } from './read-text.ts'
import { openWriter, type Writer } from './writer.ts'

type Node = {
  readonly type: string
  readonly value?: string
  readonly alt?: string | null | undefined
  readonly depth?: number
  readonly children?: readonly Node[]
}

export function readMarkdown(bytes: Uint8Array, { characters }: ExtractLimits): Canonical {
  const writer = openWriter(characters)
  const source = decodeText(bytes).replace(/^\ufeff?---\n[\s\S]*?\n---\n/, '')
  const root: Node = fromMarkdown(source, {
    extensions: [gfmTable()],
    mdastExtensions: [gfmTableFromMarkdown()],
  })
  for (const child of root.children ?? []) writeBlock(writer, child, '')
  return writer.finish(null)
}

function writeBlock(writer: Writer, node: Node, prefix: string): void {
  const children = node.children ?? []
  switch (node.type) {
    case 'heading':
      writer.heading(node.depth ?? 1, inline(node))
      break
    case 'paragraph':
      writer.paragraph(prefix + inline(node))
      break
    case 'code':
      writer.code(node.value ?? '')
      break
    case 'table':
      writer.table(children.map(row => (row.children ?? []).map(inline)))
      break
    case 'listItem':
      children.forEach((child, at) => writeBlock(writer, child, at === 0 ? '- ' : ''))
      break
    case 'list':
    case 'blockquote':
      for (const child of children) writeBlock(writer, child, '')
      break
    default:
  }
}

function inline(node: Node): string {
  if (node.type === 'html') return ''
  if (node.type === 'break') return ' '
  return node.value ?? node.alt ?? (node.children ?? []).map(inline).join('')
}
