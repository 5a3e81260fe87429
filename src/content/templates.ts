/**
 * The number's templates, name × language × parameters. Empty here: `switchhook templates pull` fills it by
 * module augmentation, and then a wrong name, language or number of parameters does not compile.
 */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- filled by augmentation
export interface Templates {}

/**
 * The number's templates of category `AUTHENTICATION`, name × language × the code's type, filled in the same way.
 * They are for `oneTimeCode()` alone: `template()` would keep the code (OTP-06).
 */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- filled by augmentation
export interface OneTimeCodes {}
