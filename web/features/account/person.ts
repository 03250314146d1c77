import type { Plan } from '../../../worker/contract/access.ts'
import type { Me } from '../../sync/rows.ts'

export const nameOf = ({ user, setting }: Me): string => setting?.nickname || user.name || user.email || 'Guest'

const planNames: Record<Plan, string> = { guest: 'Guest', free: 'Free', pro: 'PRO' }

export const planName = (plan: Plan): string => planNames[plan]
