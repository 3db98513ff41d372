/**
 * Limits that a caller can reach and that no setting changes. Each is declared where it is checked,
 * and `GET /v1/limits` lists it beside the settings.
 */
export type FixedLimit = {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly says: string
}

const declared = new Map<string, FixedLimit>()

export function limit(name: string, value: number, unit: string, says: string): number {
  declared.set(name, { name, value, unit, says })
  return value
}

export function fixedLimits(): FixedLimit[] {
  return [...declared.values()]
}
