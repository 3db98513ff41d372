/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const moderationReference: Reference['members'] = {
  ...ofNoun('BlocklistEntry NewBlocklistEntry AddBlocklistEntry', {
    reason: 'Why it is on the list.',
  }),
  ...ofNoun('ReportLink LinkReport', {
    reason: 'What is wrong with the link, in the words of who reports it.',
  }),
  ...ofNoun('LinkReport', {
    code: 'The code of the link; null if it is of none that is known.',
  }),
  ...ofNoun('BlocklistEntry NewBlocklistEntry AddBlocklistEntry', {
    kind: 'What is compared: the `host`, a `suffix` of it, the whole `url`, or the URL by a `regex`.',
    value: 'What it is compared with.',
    action: '`block` refuses the destination; `warn` shows a warning before it.',
  }),
  ...ofNoun('BlocklistEntry NewBlocklistEntry', {
    created_by: 'The moderator who added it.',
  }),
  ...ofNoun('NewBlocklistEntry', {
    job_id: 'The job that looks at existing links again.',
  }),
  ...ofNoun('ReportLink', {
    url: 'The short URL that is reported.',
  }),
  ...ofNoun('ReportLinkReply', {
    id: 'The id of the report.',
    state: 'The report waits for a moderator.',
  }),
  ...ofNoun('LinkReport', {
    url: 'The short URL that was reported.',
    state: '`resolved` when a moderator has decided about the link.',
    domain_id: 'The domain of the link; null if it is of none that is known.',
    resolved_at: 'When a moderator decided.',
  }),
  ...ofNoun('ModerateLink', {
    action: '`disable` stops it, `enable` lets it lead on, `mark_clean` overrules the scan.',
  }),
}
