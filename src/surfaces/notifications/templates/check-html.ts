/**
 * Finds HTML in which data could become markup, style, a script or an unchecked address. The text is
 * read by the tokenizer of a browser, with a placeholder for each output and each tag of Liquid.
 * Tags of Liquid stand in text only, so each of their branches begins and ends in text, and one
 * reading covers all of them.
 */
import { createRequire } from 'node:module'
import type * as Parse5 from 'parse5'
import { lastFilterOf, piecesOf, type Piece } from './language.ts'

export type Fault = { readonly constraint: string; readonly says: string }

/** These run, load a page, or change how a browser reads the text after them. */
const refused_elements = new Set(
  `script iframe object embed base frame frameset applet portal svg math select noscript noembed
  noframes xmp plaintext template`.split(/\s+/),
)
const plain_attributes =
  /^(alt|title|class|id|lang|dir|width|height|align|valign|bgcolor|color|size|border|cell(padding|spacing)|(col|row)span|scope|abbr|summary|label|value|datetime|start|role|(aria|data)-[a-z0-9-]+)$/
const addresses = new Set(['href', 'src', 'action', 'formaction', 'background', 'poster'])
/** What may lead to, or show, an address that contains data. */
const data_addresses = new Set(['a href', 'area href', 'img src'])
const schemes = new Set(['http', 'https', 'mailto', 'tel', 'sms', 'cid'])

const says = {
  no_script: 'A mail runs no scripts and holds no frames or drawings: remove that element.',
  no_event_handler: 'A mail runs no scripts: remove the on… attribute.',
  quoted_attribute: 'Write quotes around an attribute that holds data: title="{{ name }}".',
  tag_in_attribute:
    'Write the whole element in each branch: {% if … %}<p class="a">{% else %}<p class="b">{% endif %}.',
  plain_attribute:
    'Data stands in text, in plain attributes such as title, in href of a, and in src of img. Remove it from the other attribute.',
  safe_url:
    'An address begins with https:, mailto:, tel:, sms:, cid: or a path, or with data that ends with the filter safe_url: href="{{ link | safe_url }}".',
  only_text:
    'Data and tags of Liquid stand in text, and data in quoted attributes. Remove them from names, comments, <style>, <title> (tags) and the doctype.',
} as const
type Constraint = keyof typeof says

/**
 * A placeholder has what escaped data can have, a letter and a space: so it continues a name and ends
 * a value without quotes, as data would. The two characters around its number are private.
 */
const holder = /x\uE000 (\d+)\uE001/g

/** The parser has 30 files. They are loaded with the first template in HTML. */
const require = createRequire(import.meta.url)

/** The text has no syntax error of Liquid. */
export function faultOf(html: string): Fault | null {
  const constraint = new Reading(piecesOf(html)).faultOf()
  return constraint && { constraint, says: says[constraint] }
}

class Reading {
  #fault: Constraint | null = null
  readonly #pieces: readonly Piece[]
  /** Placeholders that were found where they may stand. */
  readonly #placed = new Set<number>()
  /** The element in which a browser looks for its end tag only. */
  #inside: string | null = null

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces
  }

  faultOf(): Constraint | null {
    const { Tokenizer, TokenizerMode } = require('parse5') as typeof Parse5
    const ignore = () => undefined
    const tokenizer = new Tokenizer(
      {},
      {
        onStartTag: tag => {
          this.#element(tag)
          const mode = modeOf(tag.tagName)
          if (!mode) return
          this.#inside = tag.tagName
          tokenizer.state = TokenizerMode[mode]
        },
        onEndTag: () => (this.#inside = null),
        onCharacter: ({ chars }) => this.#text(chars),
        onWhitespaceCharacter: ignore,
        onNullCharacter: ignore,
        onComment: ignore,
        onDoctype: ignore,
        onEof: ignore,
      },
    )
    tokenizer.write(this.#pieces.map(placeholderOf).join(''), true)
    const placed = this.#pieces.every(({ kind }, at) => kind === 'markup' || this.#placed.has(at))
    return this.#fault ?? (placed ? null : 'only_text')
  }

  #refuse(constraint: Constraint): void {
    this.#fault ??= constraint
  }

  #text(characters: string): void {
    for (const [, at] of characters.matchAll(/(\d+)\uE001/g)) {
      const is_output = this.#pieces[Number(at)]?.kind === 'output'
      const may = this.#inside === null || (is_output && this.#inside !== 'style')
      if (may) this.#placed.add(Number(at))
    }
  }

  #element({ tagName, attrs }: Parse5.Token.TagToken): void {
    if (refused_elements.has(tagName)) this.#refuse('no_script')
    for (const { name, value } of attrs) {
      if (name.startsWith('on')) this.#refuse('no_event_handler')
      if (name === 'http-equiv') this.#refuse('no_script')
      if (value.includes('\uE000')) this.#data(`${tagName} ${name}`, name, value)
      if (addresses.has(name) && !this.#isSafe(value)) this.#refuse('safe_url')
    }
  }

  #data(place: string, name: string, value: string): void {
    if (!value.includes('\uE001')) return this.#refuse('quoted_attribute')
    const may = plain_attributes.test(name) || data_addresses.has(place)
    if (!may) this.#refuse('plain_attribute')
    for (const [, at] of value.matchAll(holder)) {
      if (this.#pieces[Number(at)]?.kind === 'tag') this.#refuse('tag_in_attribute')
      this.#placed.add(Number(at))
    }
  }

  /** A browser drops line breaks and tabs from an address, and white space before it. */
  #isSafe(address: string): boolean {
    const text = address.replaceAll(/[\t\n\r]/g, '').replace(/^[\0- ]+/, '')
    const [before = ''] = /^[^:/?#]*/.exec(text) ?? []
    const [first, at] = /^x\uE000 (\d+)\uE001/.exec(before) ?? []
    const piece = this.#pieces[Number(at)]
    if (first && piece) return piece.kind === 'output' && lastFilterOf(piece.text) === 'safe_url'
    if (before.includes('\uE000')) return false
    return text[before.length] !== ':' || schemes.has(before.toLowerCase())
  }
}

function placeholderOf({ kind, text }: Piece, at: number): string {
  return kind === 'markup' ? text.replaceAll(/[\uE000\uE001]/g, '\uFFFD') : `x\uE000 ${at}\uE001`
}

function modeOf(element: string): 'RCDATA' | 'RAWTEXT' | null {
  if (element === 'title' || element === 'textarea') return 'RCDATA'
  return element === 'style' ? 'RAWTEXT' : null
}
