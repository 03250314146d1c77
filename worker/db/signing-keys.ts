/** Public keys of better-auth's jwt plugin. */
import { type DatabaseBindings, directoryDb, orm } from './shards.ts'
import { jwks } from './tables/users.ts'

type SigningKey = { readonly kid: string; readonly alg: string | null; readonly publicKeyJson: string }

export function readSigningKeys(env: DatabaseBindings): Promise<SigningKey[]> {
  return orm(directoryDb(env)).select({ kid: jwks.id, alg: jwks.alg, publicKeyJson: jwks.publicKey }).from(jwks)
}
