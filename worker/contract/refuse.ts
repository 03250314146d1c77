/** The error that rejects a mutation. Not in `errors.ts`, which pages without the sync client import. */
import { ApplicationError } from '@rocicorp/zero'
import { type Refusal, type RefusalCode, refusal } from './errors.ts'

/** The client rolls back the optimistic rows and the caller gets the code. */
export const refuse = (code: RefusalCode): ApplicationError<Refusal> => new ApplicationError(code, { details: refusal(code) })
