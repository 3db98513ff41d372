/** Templates in requests and replies. */
import { Type, type Static } from 'typebox'
import { closed, Id, map, nullable, oneOf, text, Time } from '#dodeca/kernel'
import { Channel, Data, Locale, TemplateName } from '../schemas.ts'

const subject = text(2000)
const url = text(4000)
const body = text(256 * 1024)
const mail = {
  subject,
  body,
  text: Type.Optional(body),
}
const push = { title: subject, body: text(16 * 1024), url: Type.Optional(url) }

const Texts = closed({
  email: Type.Optional(closed({ ...mail, format: Type.Optional(oneOf('html', 'text')) })),
  sms: Type.Optional(closed({ body: text(4000) })),
  push: Type.Optional(closed(push)),
  in_app: Type.Optional(closed(push)),
})
/** Another language has the same format as the default one. */
const OtherTexts = closed({
  email: Type.Optional(closed(mail)),
  sms: Type.Optional(closed({ body: text(4000) })),
  push: Type.Optional(closed(push)),
  in_app: Type.Optional(closed(push)),
})

export const NewTemplate = closed(
  {
    name: TemplateName,
    default_locale: Locale,
    data_schema: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    channels: Texts,
    locales: Type.Optional(map(Locale, OtherTexts, 50)),
  },
  { title: 'NewNotificationTemplate' },
)
export type NewTemplate = Static<typeof NewTemplate>
export type Texts = Static<typeof Texts>

const Content = Type.Object({
  subject: nullable(Type.String()),
  body: Type.String(),
  text: nullable(Type.String()),
  url: nullable(Type.String()),
})

export const TemplateView = Type.Object(
  {
    name: Type.String(),
    version: Type.Integer(),
    status: oneOf('draft', 'published', 'archived'),
    tenant_id: Id,
    default_locale: Type.String(),
    data_schema: nullable(Type.Record(Type.String(), Type.Unknown())),
    channels: Type.Array(
      Type.Object({
        id: Id,
        channel: Channel,
        format: oneOf('html', 'text'),
        subject: nullable(Type.String()),
        body: Type.String(),
        text: nullable(Type.String()),
        url: nullable(Type.String()),
        locales: Type.Record(Type.String(), Content),
      }),
    ),
    created_at: Time,
    published_at: nullable(Time),
  },
  { title: 'NotificationTemplate' },
)
export type TemplateView = Static<typeof TemplateView>

export const TemplateLine = Type.Object({
  name: Type.String(),
  version: Type.Integer(),
  status: oneOf('draft', 'published', 'archived'),
  default_locale: Type.String(),
  channels: Type.Array(Channel),
  created_at: Time,
  published_at: nullable(Time),
})

export const Preview = closed({
  data: Data,
  channel: Channel,
  locale: Type.Optional(Locale),
  timezone: Type.Optional(text(64)),
})
export const RenderedView = Type.Object(
  {
    channel: Channel,
    locale: Type.String(),
    subject: nullable(Type.String()),
    html: nullable(Type.String()),
    text: Type.String(),
    url: nullable(Type.String()),
    sha256: Type.String(),
  },
  { title: 'RenderedNotification' },
)
