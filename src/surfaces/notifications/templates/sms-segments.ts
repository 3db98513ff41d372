/**
 * Counts the segments of an SMS. One segment holds 160 characters of GSM 03.38, or 70 of UCS-2. If
 * there are several segments, each holds a few characters fewer.
 */
import { limit } from '#dodeca/kernel'

const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const extended = '\f^{}\\[~]|€'
const weights = new Map<string, number>([
  ...Array.from(basic, sign => [sign, 1] as const),
  ...Array.from(extended, sign => [sign, 2] as const),
])

export const segments_max = limit('notifications.sms_segments', 6, 'segments', 'Longest SMS')

export function segmentsOf(text: string): number {
  let septets = 0
  for (const sign of text) {
    const weight = weights.get(sign)
    if (weight === undefined) return parts(text.length, 70, 67)
    septets += weight
  }
  return parts(septets, 160, 153)
}

function parts(length: number, alone: number, of_many: number): number {
  return length <= alone ? 1 : Math.ceil(length / of_many)
}
