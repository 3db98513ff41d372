/** The requests that generateContent accepts here. An unknown field is refused. */
import { Type, type Static } from 'typebox'

const strict = { additionalProperties: false }
const optional = Type.Optional
const Text = Type.String({ maxLength: 4_000_000 })
const Schema = Type.Record(Type.String(), Type.Unknown())

const Part = Type.Object(
  {
    text: optional(Text),
    thoughtSignature: optional(Text),
    inlineData: optional(Type.Object({ mimeType: Type.String(), data: Text }, strict)),
    functionCall: optional(
      Type.Object({ id: optional(Type.String()), name: Type.String(), args: Schema }, strict),
    ),
    functionResponse: optional(
      Type.Object(
        { id: optional(Type.String()), name: Type.String({ minLength: 1 }), response: Schema },
        strict,
      ),
    ),
  },
  strict,
)
export type Part = Static<typeof Part>
const Parts = Type.Array(Part, { minItems: 1, maxItems: 1000 })

export const Generate = Type.Object(
  {
    contents: Type.Array(
      Type.Object(
        { role: Type.Union([Type.Literal('user'), Type.Literal('model')]), parts: Parts },
        strict,
      ),
      { minItems: 1, maxItems: 1000 },
    ),
    systemInstruction: optional(
      Type.Object({ role: optional(Type.String()), parts: Parts }, strict),
    ),
    tools: optional(
      Type.Array(
        Type.Object(
          {
            functionDeclarations: Type.Array(
              Type.Object(
                {
                  name: Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_.-]{0,63}$' }),
                  description: optional(Text),
                  parametersJsonSchema: optional(Schema),
                },
                strict,
              ),
            ),
          },
          strict,
        ),
      ),
    ),
    toolConfig: optional(
      Type.Object(
        {
          functionCallingConfig: Type.Object(
            {
              mode: Type.String({ pattern: '^(AUTO|ANY|NONE)$' }),
              allowedFunctionNames: optional(Type.Array(Type.String())),
            },
            strict,
          ),
        },
        strict,
      ),
    ),
    generationConfig: optional(
      Type.Object(
        {
          maxOutputTokens: optional(Type.Integer({ minimum: 1 })),
          temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
          topP: optional(Type.Number({ minimum: 0, maximum: 1 })),
          stopSequences: optional(Type.Array(Type.String(), { maxItems: 5 })),
          seed: optional(Type.Integer()),
          responseMimeType: optional(Type.String({ pattern: '^application/json$' })),
          responseJsonSchema: optional(Schema),
          thinkingConfig: optional(
            Type.Object(
              {
                thinkingLevel: optional(Type.String({ pattern: '^(MINIMAL|LOW|MEDIUM|HIGH)$' })),
                thinkingBudget: optional(Type.Integer()),
              },
              strict,
            ),
          ),
        },
        strict,
      ),
    ),
  },
  strict,
)
export type Generate = Static<typeof Generate>
