/** The version of the sync protocol that `@rocicorp/zero` 1.9 speaks. 52 changes the encoding of pokes, so no range is accepted. */
export const protocolVersion = 51
