declare module 'unicode-confusables' {
  /** The skeleton of a text after UTS 39: two texts that look alike have the same one. */
  export function rectifyConfusion(text: string): string
}
