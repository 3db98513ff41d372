/** Templates with hostile HTML: what is refused, and that data never changes what is accepted. */
import fc from 'fast-check'
import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5'
import { expect, test } from 'vitest'
import { builtInTemplate } from '../built-in.ts'
import { faultOf } from '../check-html.ts'
import { parse as parseLiquid, run } from '../language.ts'

test.each([
  ['<a href="{{ a }}">x</a>', 'safe_url'],
  ['<a href="{{ a | safe_url | append: b }}">x</a>', 'safe_url'],
  ['<a href="{{ a | append: \'| safe_url\' }}">x</a>', 'safe_url'],
  ['<a href="java{{ a }}">x</a>', 'safe_url'],
  ['<a href="java&#115;cript:x">x</a>', 'safe_url'],
  ['<a href=" java\nscript:x">x</a>', 'safe_url'],
  ['<a href="{% if a %}javascript:{% endif %}{{ a | safe_url }}">x</a>', 'tag_in_attribute'],
  ['<a href="https://a.example/{% if a %}x{% endif %}">x</a>', 'tag_in_attribute'],
  ['<p title="a > b" class="{% if a %}x{% endif %}">x</p>', 'tag_in_attribute'],
  ['<a title={{ a }}>x</a>', 'quoted_attribute'],
  ['<a title = \n{{ a }}>x</a>', 'quoted_attribute'],
  ['<a title="a > b" style="color: {{ a }}">x</a>', 'plain_attribute'],
  ['<img srcset="{{ a | safe_url }} 2x">', 'plain_attribute'],
  ['<form action="{{ a | safe_url }}">', 'plain_attribute'],
  ['<button formaction="{{ a | safe_url }}">', 'plain_attribute'],
  ['<link rel="stylesheet" href="{{ a | safe_url }}">', 'plain_attribute'],
  ['<a title="x" {{ a }}="y">x</a>', 'only_text'],
  ['<a x-{{ a }}="y">x</a>', 'only_text'],
  ['<a {% if a %}title="y"{% endif %}>x</a>', 'only_text'],
  ['<{{ a }}>', 'only_text'],
  ['</{{ a }}>', 'only_text'],
  ['<h{{ a }}>x</h1>', 'only_text'],
  ['<p title="x" title={{ a }}>x</p>', 'only_text'],
  ['<!-- {{ a }} -->', 'only_text'],
  ['<!-- --!><p>{{ a }}</p><!-- {{ a }} -->', 'only_text'],
  ['<!doctype {{ a }}>', 'only_text'],
  ['<style>{{ a }}</style>', 'only_text'],
  ['<style/>{{ a }}</style>', 'only_text'],
  ['<style>{% raw %}</style>{% endraw %}{{ a }}', 'only_text'],
  ['<st\uE000yle>', null],
  ['<style></st\uE000yle>{{ a }}', 'only_text'],
  ['<title>{% if a %}</title>{% endif %}', 'only_text'],
  ['{{ "<!--" }}<b onclick="x">{{ "-->" }}</b>', 'no_event_handler'],
  ['<a title=">"onclick="x">x</a>', 'no_event_handler'],
  ['<a/onclick=x>', 'no_event_handler'],
  ['<p>x</p><ScRiPt >', 'no_script'],
  ['<svg><style>{{ a }}</style></svg>', 'no_script'],
  ['<select><title><p>', 'no_script'],
  ['<meta content="0" http-equiv="refresh">', 'no_script'],
  ['<p title="{{ a }}" class="x {{ a }}">{% if a %}<b>{{ a }}</b>{% endif %}</p>', null],
  ['<a href="{{ a | safe_url }}/{{ b }}">a < b, {{ a }} > b</a>', null],
  ["<a href='https://a.example/{{ a }}?b=c:d'>x</a><a href=/x><a href=#x>", null],
  ['<img src="cid:logo" width=600 alt="{{ a }}"><!--[if mso]><v:rect><![endif]-->', null],
  ['<title>{{ a }}</title><style>p { color: red }</style>{% raw %}{{ a }}{% endraw %}', null],
])('of %j: %s', (html, constraint) => {
  expect(faultOf(html)?.constraint ?? null).toBe(constraint)
})

test.each(['verification-code', 'account-mail', 'notice'])('the template %s is accepted', name => {
  const mail = builtInTemplate(name)?.templates.find(({ channel }) => channel === 'email')
  for (const { body } of Object.values(mail?.contents ?? {})) expect(faultOf(body)).toBeNull()
})

/** Elements with the names of their attributes, addresses by their scheme, comments and styles. */
function shapeOf(html: string, scriptingEnabled: boolean): string[] {
  const shape: string[] = []
  const walk = (node: Tree.Node) => {
    if ('attrs' in node) {
      shape.push(`<${[node.tagName, ...node.attrs.map(({ name }) => name)].join(' ')}>`)
      const links = node.attrs.filter(({ name }) => name === 'href' || name === 'src')
      // What is no address, such as `//-->`, leads nowhere.
      for (const { value } of links) {
        shape.push(`${URL.parse(value, base)?.protocol ?? 'no:'} address`)
      }
      const [text] = node.tagName === 'style' ? node.childNodes : []
      if (text && 'value' in text) shape.push(`style ${text.value}`)
    }
    if ('data' in node) shape.push(`comment ${node.data}`)
    if ('childNodes' in node) for (const child of node.childNodes) walk(child)
  }
  walk(parse(html, { scriptingEnabled }))
  return shape
}
const base = 'https://a.example'
const runs = /^<\S+( \S+)* on|^<(script|iframe|svg)[ >]|^(javascript|data): address/

const parts = [
  Array.from({ length: 8 }, () => '{{ a }}'),
  ['{{ u | safe_url }}', '{{ u | safe_url }}">', '{% if yes %}', '{% else %}', '{% endif %}'],
  ['{%- if no -%}', '{% endif %}', '{% raw %}', '{% endraw %}', '{{ "<!--" }}', '{{ "" }}'],
  ['<', '</', '>', '"', "'", ' ', '\n', '=', '/', '&', '&#', '!', '--', '-', '?', ']]>', 'x'],
  ['<p title="', '<p title=', '" class="', "' id='", '<a href="', '<img src="', '">', '"/>'],
  ['<p', '</p>', '<b>', '<table><tr>', '<td title="', 'java', 'script', 'script:', 'https://x/'],
  ['<!--', '-->', '--!>', '<![CDATA[', '<!doctype', '<?x', '<style>', '<style/>', '</style>'],
  ['</style/', '<title>', '</title>', '<textarea>', '</textarea >', '<xmp>', '<noscript>'],
  ['style="', 'onclick="', 'srcset="', '<svg>', '<select>'],
].flat()
const hostile = fc.oneof(
  fc.constantFrom('', ' ', 'javascript:x', '"><script>x</script>', "' onclick='x", 'x onclick=x'),
  fc.constantFrom(
    '--><b>',
    '</style><b>',
    '</title><b>',
    'script',
    'lt;b onclick=x>',
    '/',
    '=',
    '>',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

test('data never adds elements, attributes, styles or comments to what is accepted', () => {
  let accepted = 0
  const pieces = fc.array(fc.constantFrom(...parts), { maxLength: 12 })
  fc.assert(
    fc.property(pieces, hostile, fc.boolean(), (chosen, a, scripts) => {
      const template = chosen.join('')
      fc.pre(hasNoSyntaxError(template) && !faultOf(template))
      const [before, after] = ['https://x.example/', a].map(data => rendered(template, data))
      fc.pre(before !== undefined && after !== undefined)
      if (template.includes('{{ a')) accepted += 1
      const usual = new Set(shapeOf(before, scripts))
      const added = new Set(shapeOf(after, scripts)).difference(usual)
      expect([...added, ...usual].filter(one => runs.test(one))).toEqual([])
      expect([...added].filter(one => !one.endsWith(': address'))).toEqual([])
    }),
    { numRuns: 3000, maxSkipsPerRun: 100 },
  )
  expect(accepted).toBeGreaterThan(300)
})

/** Undefined if this took longer than a template may, as on a machine that does other work. */
function rendered(template: string, data: string): string | undefined {
  try {
    return run('html', template, { a: data, u: data, yes: true, no: false }, {} as never)
  } catch (error) {
    if (String(error).includes('limit exceeded')) return undefined
    throw error
  }
}

function hasNoSyntaxError(template: string): boolean {
  try {
    return parseLiquid('html', template).length >= 0
  } catch {
    return false
  }
}

test.each(['<', '<=', '< on', "href='{{ a ", "<a href='", '| ', '<!--', '<a =  ', '</style', '&#'])(
  'a quarter of a million characters of %j are checked',
  unit => {
    const html = (times: number) =>
      `<style>${unit.replace('{{ a ', '{{ a }}').repeat(times / unit.length)}</style>`
    expect(faultOf(html(250_000))).toEqual(faultOf(html(1000)))
  },
)
