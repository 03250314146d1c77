// How much of the audit after each test of a file fits what the file does: all of it, unless it makes up rows that no turn left behind.
import type { AuditScope } from '../support/credit-audit.ts'

let scope: AuditScope = 'turns'

export const auditScope = (): AuditScope => scope

/** Call at the top of a file. */
export function auditOnly(narrower: AuditScope): void {
  scope = narrower
}
