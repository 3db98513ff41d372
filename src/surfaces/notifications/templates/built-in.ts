/**
 * The built-in templates: the frame for identity's mails, and for notices whose text other surfaces
 * provide. A changed text is a new version. Earlier versions stay, because each intent refers to
 * the version with which it was made.
 */
import type { ChannelTemplate, Content } from './render.ts'

export type BuiltIn = {
  readonly name: string
  readonly version: number
  readonly templates: readonly ChannelTemplate[]
}

const frame = (inner: string) => `<!doctype html>
<html lang="{{ locale }}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{ subject }}</title>
<style>
:root { color-scheme: light dark }
body { margin: 0; padding: 1.5rem 1rem; background: #f3f4f6; color: #1c2026;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif }
main { max-width: 34rem; margin: 0 auto; padding: 1.75rem; background: #fff; border-radius: 12px }
h1 { margin: 0 0 1rem; font-size: 1.35rem; line-height: 1.3 }
p { margin: 0 0 1rem; white-space: pre-line; overflow-wrap: anywhere }
.act { display: inline-block; padding: .7rem 1.2rem; border-radius: 8px; background: #1f5fbf;
  color: #fff; font-weight: 600; text-decoration: none }
.code { padding: .7rem 1rem; border-radius: 8px; background: #eef1f5; font: 15px/1.5 ui-monospace, monospace }
@media (prefers-color-scheme: dark) { body { background: #121417; color: #e6e9ee } main { background: #1b1e23 }
  .code { background: #262b33 } .act { background: #3b7ddd } }
</style>
</head>
<body><main>
<h1>{{ subject }}</h1>
${inner}
</main></body>
</html>`

const account_mail: Content = {
  subject: '{{ subject }}',
  body: frame(`<p>{{ paragraphs | first }}</p>
{% if link %}<p><a class="act" href="{{ link | safe_url }}">{{ action }}</a></p>
{% endif %}{% if code %}<p>{{ code_label }}</p>
<p class="code">{{ code }}</p>
{% endif %}{% for paragraph in paragraphs offset: 1 %}<p>{{ paragraph }}</p>
{% endfor %}`),
  text_body: `{{ paragraphs | first }}
{% if link %}
{{ link }}
{% endif %}{% if code %}
{{ code_label }} {{ code }}
{% endif %}{% for paragraph in paragraphs offset: 1 %}
{{ paragraph }}
{% endfor %}`,
  url: null,
}

const notice_mail: Content = {
  subject: '{{ subject }}',
  body: frame('{% for paragraph in paragraphs %}<p>{{ paragraph }}</p>\n{% endfor %}'),
  text_body: '{% for paragraph in paragraphs %}{{ paragraph }}\n\n{% endfor %}',
  url: null,
}

const notice: Content = {
  subject: '{{ subject }}',
  body: '{{ paragraphs | first }}',
  text_body: null,
  url: '{{ url | default: "" }}',
}

function inEnglish(channel: ChannelTemplate['channel'], content: Content): ChannelTemplate {
  const format = channel === 'email' ? 'html' : 'text'
  return { channel, format, default_locale: 'en', contents: { en: content } }
}

const code_texts = (subject: string, text: string, late: string) => ({
  email: {
    subject,
    body: frame(`<p>${text}</p>\n<p class="code">{{ code }}</p>\n<p>${late}</p>`).replaceAll(
      '{{ subject }}',
      subject,
    ),
    text_body: `${text}\n\n{{ code }}\n\n${late}\n`,
    url: null,
  },
  sms: { subject: null, body: `${text} {{ code }}`, text_body: null, url: null },
})
const code_en = code_texts(
  'Your code',
  'This is your code:',
  'It is valid for ten minutes. If you did not ask for it, ignore this message.',
)
const code_de = code_texts(
  'Ihr Code',
  'Das ist Ihr Code:',
  'Er gilt zehn Minuten. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese Nachricht.',
)

/** The data contains the text, in the language of the reader. */
const all: readonly BuiltIn[] = [
  {
    name: 'verification-code',
    version: 1,
    templates: [
      {
        channel: 'email',
        format: 'html',
        default_locale: 'en',
        contents: { en: code_en.email, de: code_de.email },
      },
      {
        channel: 'sms',
        format: 'text',
        default_locale: 'en',
        contents: { en: code_en.sms, de: code_de.sms },
      },
    ],
  },
  { name: 'account-mail', version: 1, templates: [inEnglish('email', account_mail)] },
  {
    name: 'notice',
    version: 1,
    templates: [
      inEnglish('email', notice_mail),
      inEnglish('sms', { ...notice, subject: null, body: '{{ subject }}', url: null }),
      inEnglish('push', notice),
      inEnglish('in_app', notice),
    ],
  },
]

/** The newest version, or the requested one. */
export function builtInTemplate(name: string, version?: number): BuiltIn | undefined {
  return all
    .filter(one => one.name === name && (version === undefined || one.version === version))
    .toSorted((a, b) => b.version - a.version)[0]
}
