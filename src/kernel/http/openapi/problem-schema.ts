/** The document of a refusal, as it is published. */
import { Type } from 'typebox'
import { Id } from '../contract/shapes.ts'

const FieldErrorSchema = Type.Object(
  {
    location: Type.Unsafe<string>({ type: 'string', enum: ['body', 'query', 'path', 'header'] }),
    pointer: Type.String(),
    constraint: Type.String(),
    message: Type.Optional(Type.String()),
    params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { title: 'FieldError' },
)

export const ProblemSchema = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String(),
    code: Type.String(),
    request_id: Id,
    errors: Type.Optional(Type.Array(FieldErrorSchema)),
    retry_after: Type.Optional(Type.Integer()),
    current_state: Type.Optional(Type.String()),
  },
  {
    title: 'Problem',
    description:
      'Why a request was refused (RFC 9457). Programs should check `code`; show `detail` to people.',
  },
)
