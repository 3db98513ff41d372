/** What notifications refuse. What belongs to another tenant is refused like something that is not there. */
import { problemsOf } from '../../kernel/errors/problem.ts'

export const errors = {
  notification_not_found: { status: 404, title: 'There is no such notification' },
  batch_not_found: { status: 404, title: 'There is no such batch' },
  template_not_found: { status: 404, title: 'There is no such template' },
  category_not_found: { status: 404, title: 'There is no such category' },
  destination_not_found: { status: 404, title: 'There is no such destination' },
  suppression_not_found: { status: 404, title: 'There is no such suppression' },
  inbox_item_not_found: { status: 404, title: 'There is no such item in the inbox' },
  inputs_not_found: { status: 404, title: 'The data of this notification is not kept any more' },
  user_not_found: { status: 404, title: 'There is no such user' },
  token_not_found: { status: 404, title: 'The link is not valid' },
  template_not_published: { status: 409, title: 'The template version is not published' },
  category_built_in: { status: 409, title: 'A built-in category does not change' },
  unknown_category: { status: 422, title: 'The category is not defined' },
  schema_invalid: { status: 422, title: 'The schema cannot be used' },
  template_data_invalid: { status: 422, title: 'The data does not fit the template' },
  template_syntax_error: { status: 422, title: 'The template has a syntax error' },
  template_render_failed: { status: 422, title: 'The template cannot be rendered' },
  channel_without_template: { status: 422, title: 'The template has no text for this channel' },
  schedule_out_of_range: { status: 422, title: 'The time lies too far ahead' },
  expiry_before_schedule: { status: 422, title: 'The notification expires before it may be sent' },
  invalid_destination: { status: 422, title: 'The destination is not valid' },
  push_host_not_allowed: { status: 422, title: 'The push service is not allowed' },
  code_invalid: { status: 422, title: 'The code is not valid' },
  invalid_timezone: { status: 422, title: 'The time zone is not known' },
  invalid_quiet_hours: { status: 422, title: 'Quiet hours must begin and end at different times' },
  duplicate_preference: { status: 422, title: 'A category and channel are named twice' },
  category_mandatory: { status: 422, title: 'This category cannot be switched off' },
  too_many_recipients: { status: 422, title: 'The batch has too many recipients' },
  batch_line_invalid: { status: 422, title: 'No line of the batch can be used' },
} as const

export const problem = problemsOf(errors)
