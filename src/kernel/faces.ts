/** The types of the faces that a surface gets for its `needs`. */

/** The faces by the names of their surfaces. `src/app.ts` fills it. */
// oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can be filled elsewhere
export interface Faces {}

type FaceOf<Name> = Name extends keyof Faces ? Faces[Name] : unknown

/** `{ money: 'payments', rooms: 'chat?' }` gives the face of payments, and that of chat if it is on. */
export type FacesOf<Needs> = {
  readonly [Port in keyof Needs]: Needs[Port] extends `${infer Name}?`
    ? FaceOf<Name> | undefined
    : FaceOf<Needs[Port]>
}
