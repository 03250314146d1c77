/** Checks input against a JSON schema of a tool, with the validator of the MCP SDK. It compiles no code, which workerd forbids. */
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker'

type Schema = Parameters<CfWorkerJsonSchemaValidator['getValidator']>[0]

/** Null if the input fits. A schema that cannot be checked fits any input: the server of the tool checks the input too. */
export function schemaError(schema: unknown, input: unknown): string | null {
  try {
    const result = new CfWorkerJsonSchemaValidator().getValidator(schema as Schema)(input)
    return result.valid ? null : result.errorMessage
  } catch {
    return null
  }
}

export const fitsSchema = (schema: unknown, input: unknown): boolean => schemaError(schema, input) === null
