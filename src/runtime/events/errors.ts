/** The refusals of declared event types and of their publishing. */
import { problemsOf } from '#dodeca/kernel'

export const errors = {
  event_type_not_found: {
    status: 404,
    title: 'There is no such event type',
    cause: 'No event type has this name, or it is internal.',
    cure: 'See the names with `GET /v1/event-types`.',
  },
  event_type_declared: {
    status: 409,
    title: 'The event type is part of the platform',
    cause: 'A surface declares a type of this name in its code.',
    cure: 'Choose another name for a type of your own.',
  },
  event_type_reserved: {
    status: 409,
    title: 'The noun of the event type is reserved',
    cause:
      'The first part of the name is a noun or a surface of the platform or of the application.',
    cure: 'Begin the name with another noun, such as `deal` in `deal.won`. Events of a surface are declared in its code.',
  },
  event_schema_invalid: {
    status: 422,
    title: 'The schema cannot be used',
    cause: 'The text is not a JSON Schema, or it uses a part that is not allowed.',
    cure: 'Use only the keywords that the detail allows.',
  },
  event_data_invalid: {
    status: 422,
    title: 'The data do not fit the schema of their type',
    cause: 'The data of an event do not fit the schema of its type, so none was published.',
    cure: 'Change the data as `errors` says; `GET /v1/event-types/{type}` shows the schema.',
  },
  event_tenant_unknown: {
    status: 422,
    title: 'The tenant does not take events here',
    cause: 'No active tenant of this deployment has the id: it is unknown, disabled or was moved.',
    cure: 'Use the id of an active tenant, or publish in the cell that serves the tenant.',
  },
  aggregate_version_stale: {
    status: 409,
    title: 'The version of the aggregate is not above the last one',
    cause: 'An event of the aggregate was published with this version or a higher one.',
    cure: 'Read the newest state again, or leave `aggregate_version` out.',
  },
} as const

export const problem = problemsOf(errors)
