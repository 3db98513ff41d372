/**
 * The answer to a prompt with context blocks. It has the sentences of the blocks that share words
 * with the question, each with its exact quotation. This is the output that the schema
 * `cited_answer` asks for.
 */
import type { FaultRule } from './faults.ts'

type Block = { readonly label: string; readonly text: string }
type Cited = { text: string; citations: { label: string; quote: string }[] }

const block = /<<BLOCK (\S+) (\S+)>>\s*([\s\S]*?)\s*<<END \2>>/g
const sentences_max = 3
/** Words that do not describe a subject. */
const common = new Set(
  (
    'a about an and are as at be by can did do does for from had has have how i if in into is it its may ' +
    'me must my no not of on or our question s should so such than that the their them then there these ' +
    'they this those to was we were what when where which who why will with you your'
  ).split(' '),
)

export function citedAnswer(input: string, fault: FaultRule | undefined): string {
  const blocks = [...input.matchAll(block)].map(([, label = '', , text = '']) => ({ label, text }))
  const wanted = stemsOf(input.replaceAll(block, ' '))
  const found = blocks
    .flatMap(one => sentencesOf(one))
    .map(one => ({ ...one, score: [...stemsOf(one.text)].filter(stem => wanted.has(stem)).length }))
    .filter(one => one.score >= Math.min(2, wanted.size) && one.score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, sentences_max)
  const sentences = found.map(({ label, text }): Cited => ({
    text,
    citations: [{ label, quote: text }],
  }))
  spoil(sentences, blocks, fault)
  const json = JSON.stringify({ sentences, insufficient: sentences.length === 0 })
  return fault?.action === 'invalid_json' ? json.slice(0, -Math.ceil(json.length / 3)) : json
}

function spoil(sentences: Cited[], blocks: readonly Block[], fault: FaultRule | undefined): void {
  const [citation] = sentences[0]?.citations ?? []
  if (!citation) return
  if (fault?.action === 'fabricated_quote') {
    citation.quote = 'The moon is made of green cheese, as every page of this block confirms.'
  }
  if (fault?.action === 'misattributed_quote') {
    const other = blocks.find(
      one => one.label !== citation.label && !one.text.includes(citation.quote),
    )
    citation.label = other?.label ?? 'k999'
  }
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

function sentencesOf({ label, text }: Block): Block[] {
  return [...segmenter.segment(text)]
    .map(one => ({ label, text: one.segment.trim() }))
    .filter(one => one.text.length >= 3)
}

/** Splits a text into words and removes common endings. */
function stemsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return new Set(
    words
      .filter(word => !common.has(word))
      .map(word => (word.length > 4 ? word.replace(/(?:ing|ed|es|s)$/, '') : word)),
  )
}
