/** The platform takes two characters or more, and knows the number of an order as 12 and #12. */
export const shortest = 2

export function soughtIn(text: string): string {
  const asked = text.trim()
  const number = /^(?:(?:order|bestellung)\s*#?\s*(\d+)|(\d))$/i.exec(asked)
  return number ? `#${number[1] ?? number[2]}` : asked
}
