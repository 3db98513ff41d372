/** How a surface writes down its settings: kind, default, unit and one sentence each. */
export type CountSetting = {
  kind: 'number'
  default: number
  unit: string
  says: string
  min: number
  max: number
}
export type FlagSetting = {
  kind: 'flag'
  default: boolean | 'production' | 'development'
  says: string
}
export type ListSetting = { kind: 'list'; default: readonly string[]; says: string }
export type TextSetting = {
  kind: 'text'
  default: string | null
  says: string
  secret?: true
  oneOf?: readonly string[]
}

export const count = (
  fallback: number,
  unit: string,
  says: string,
  min = 0,
  max = 2 ** 40,
): CountSetting => ({ kind: 'number', default: fallback, unit, says, min, max })

export const flag = (fallback: FlagSetting['default'], says: string): FlagSetting => ({
  kind: 'flag',
  default: fallback,
  says,
})

export const list = (says: string): ListSetting => ({ kind: 'list', default: [], says })

export const text = (says: string, fallback: string): TextSetting & { default: string } => ({
  kind: 'text',
  default: fallback,
  says,
})

export const secret = (says: string): TextSetting => ({
  kind: 'text',
  default: null,
  says,
  secret: true,
})
