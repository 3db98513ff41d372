/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const templatesReference: Reference['members'] = {
  ...ofNoun('ListNotificationTemplatesReply', {
    'data.status': 'Whether it can be sent: only a published version can.',
    'data.channels': 'The channels for which it has texts.',
  }),
  ...ofNoun('NotificationTemplate NewNotificationTemplate', {
    channels: 'The texts of each channel.',
  }),
  ...ofNoun('NotificationTemplate NewNotificationTemplate', {
    name: 'The name by which notifications choose the template.',
  }),
  ...ofNoun('NotificationTemplate', {
    version: 'The number of this version, from 1.',
    published_at: 'When it was published; null while it is a draft.',
    'channels.id': 'The id of the texts of this channel.',
    'channels.format': 'Whether `body` of a mail is HTML or text.',
    'channels.text': 'The text of a mail for readers without HTML.',
    'locales.text': 'The text of a mail for readers without HTML.',
  }),
  ...ofNoun('NewNotificationTemplate', {
    'channels.email': 'The texts of a mail.',
    'channels.sms': 'The text of an SMS.',
    'channels.push': 'The texts of a push message.',
    'channels.in_app': 'The texts of an item of the inbox.',
    'email.text': 'The text for readers without HTML. Without it, it is made from `body`.',
    'email.format': 'Whether `body` is HTML or text.',
    'locales.email': 'The texts of a mail in this language.',
    'locales.sms': 'The text of an SMS in this language.',
    'locales.push': 'The texts of a push message in this language.',
    'locales.in_app': 'The texts of an item of the inbox in this language.',
  }),
  ...ofNoun('ListNotificationTemplatesReply', {
    'data.name': 'The name by which notifications choose the template.',
    'data.version': 'The number of this version, from 1.',
    'data.created_at': 'When this version was created.',
    'data.published_at': 'When it was published; null while it is a draft.',
  }),
  ...ofNoun('RenderedNotification', {
    html: 'The mail as HTML; null for other channels, and for mails of text.',
    text: 'The message as text.',
    subject: 'The rendered subject or title.',
    url: 'The rendered link.',
  }),
}
