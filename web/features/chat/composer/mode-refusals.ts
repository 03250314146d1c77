/** Refusals of the mode, not of the text: selecting another mode resolves each of them. */
export const modeRefusals: ReadonlySet<string> = new Set([
  'research_account_required',
  'research_premium_required',
  'tools_unsupported',
  'tool_limit_reached',
  'plan_limit_reached',
  'search_unavailable',
])
