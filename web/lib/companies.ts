/** The OAuth providers. */
export const companyNames = { google: 'Google', github: 'GitHub' } as const
export type Company = keyof typeof companyNames

export const isCompany = (method: string): method is Company => method in companyNames
