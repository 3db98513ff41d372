/** What the members of this folder's nouns are, for the published document. */
import { ofNoun, type Reference } from '#dodeca/kernel'

export const moderationReference: Reference['members'] = {
  ...ofNoun('ModerationCaseSummary ModerationCase', {
    state: 'Where the case is: open, with a moderator, decided, or appealed.',
  }),
  ...ofNoun('Appeal', {
    state: 'The state of the case after the appeal.',
  }),
  ...ofNoun('ModerationSubject', {
    author: 'The profile of the author.',
  }),
  ...ofNoun('ModerationAction', {
    actor_id: 'The moderator who acted.',
  }),
  ...ofNoun('ModerationCase', {
    actions: 'What moderators have done, in order.',
    reports: 'The reports that made the case.',
  }),
  ...ofNoun('Appeal Decision', {
    case_id: 'The case that is meant.',
  }),
  ...ofNoun('Report', {
    report_id: 'The id of the report.',
  }),
}
