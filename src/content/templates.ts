/**
 * The number's templates, name × language × parameters. Empty here: `switchhook templates pull` fills it by
 * module augmentation, and then a wrong name, language or number of parameters does not compile.
 */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- filled by augmentation
export interface Templates {}
