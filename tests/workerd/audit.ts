// The part of the audit that applies after each test of a file: everything, unless the file inserts rows without a turn.
import type { AuditScope } from '../support/credit-audit.ts'

let scope: AuditScope = 'turns'

export const auditScope = (): AuditScope => scope

/** Call at the top of a file. */
export function auditOnly(narrower: AuditScope): void {
  scope = narrower
}
