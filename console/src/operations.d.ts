/** The catalog of operations, which the bundle takes from the platform's OpenAPI document. */
declare module 'dodeca:operations' {
  const catalog: Readonly<Record<string, import('./operation.ts').Operation>>
  export default catalog
}

declare module '*.css' {}
