/* Checks as JUnit XML, written by libxml2. */
#include "../base/escape.h"
#include "memory.h"
#include "output.h"

#include <libxml/xmlwriter.h>

/* libxml2's own BAD_CAST drops const. */
#define TEXT(string) ((const xmlChar *)(string))

/* Names may come from a baseline, with characters that XML cannot express. */
static int write_attribute(xmlTextWriterPtr xml, const char *name, const char *value)
{
    char text[sizeof((struct sms__check *)0)->name];
    snprintf(text, sizeof text, "%s", value);
    sms__clean_xml(text);
    return xmlTextWriterWriteAttribute(xml, TEXT(name), TEXT(text));
}

static int write_case(xmlTextWriterPtr xml, const struct sms__check *check)
{
    int bad = xmlTextWriterStartElement(xml, TEXT("testcase")) < 0;
    bad |= write_attribute(xml, "classname", check->scenario) < 0;
    bad |= write_attribute(xml, "name", check->name) < 0;
    bad |= xmlTextWriterWriteFormatAttribute(xml, TEXT("time"), "%.3f", check->seconds) < 0;
    if (!check->passed) {
        bad |= xmlTextWriterStartElement(xml, TEXT("failure")) < 0;
        bad |= write_attribute(xml, "message", check->message) < 0;
        bad |= xmlTextWriterEndElement(xml) < 0;
    }
    return bad | (xmlTextWriterEndElement(xml) < 0);
}

static int write_suite(xmlTextWriterPtr xml, const struct sms__checks *checks)
{
    int bad = xmlTextWriterSetIndent(xml, 1) < 0;
    bad |= xmlTextWriterStartDocument(xml, NULL, "UTF-8", NULL) < 0;
    bad |= xmlTextWriterStartElement(xml, TEXT("testsuite")) < 0;
    bad |= xmlTextWriterWriteAttribute(xml, TEXT("name"), TEXT("smsched check")) < 0;
    bad |= xmlTextWriterWriteFormatAttribute(xml, TEXT("tests"), "%zu", checks->count) < 0;
    bad |= xmlTextWriterWriteFormatAttribute(xml, TEXT("failures"), "%zu", checks->failed) < 0;
    double seconds = 0;
    for (size_t i = 0; i < checks->count; i++)
        seconds += checks->item[i].seconds;
    bad |= xmlTextWriterWriteFormatAttribute(xml, TEXT("time"), "%.3f", seconds) < 0;
    for (size_t i = 0; i < checks->count; i++)
        bad |= write_case(xml, &checks->item[i]);
    return bad | (xmlTextWriterEndDocument(xml) < 0);
}

/* Written to memory first, because libxml2 does not report a full disk when it closes a file. */
int sms__print_junit(const struct sms__checks *checks, FILE *to)
{
    xmlBufferPtr text = xmlBufferCreate();
    xmlTextWriterPtr xml = text ? xmlNewTextWriterMemory(text, 0) : NULL;
    bool whole = xml && !write_suite(xml, checks) && xmlTextWriterFlush(xml) >= 0;
    if (xml)
        xmlFreeTextWriter(xml);
    whole = whole && !sms__memory_failed();
    if (whole)
        fwrite(xmlBufferContent(text), 1, (size_t)xmlBufferLength(text), to);
    if (text)
        xmlBufferFree(text);
    return whole ? 0 : -1;
}
